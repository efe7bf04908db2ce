import RigBytes
import RigChecks
import RigModel
import RigWire
import Testing

extension FieldCase {
  private static let base = "rtsp://192.0.2.10"

  static let message: [FieldCase] = [
    FieldCase("rtsp-content-base-no-scheme", elsewhere: "the SETUP that a player sends on it") { input throws in
      let reply = try #require(fieldMessage(input.text)).message
      let found = RTSPURL.controlBase(response: reply.headers, requestURL: base + ":554/live0")
      #expect(found.deviations.map(\.kind) == [.notAbsolute])
      #expect(RTSPURL.resolve(control: "t1", base: found.base) == base + ":554/live0/t1")
      for value in ["10.0.0.1:554/live/", "/live/", "//10.0.0.1/live/", "http://10.0.0.1/live/"] {
        var camera = ScriptedCamera()
        camera.describeHeaders = "Content-Base: \(value)\n"
        camera.start()
        camera.video(5)
        let result = camera.script.analyze()
        #expect(result.severities("rtsp.content-base.absolute") == [.error], "\(value)")
        #expect(result.streams.first?.codec == "H264", "\(value)")
      }
    },
    FieldCase("rtsp-content-base-no-slash", elsewhere: "trying both URLs and reporting which one worked") { _ throws in
      let url = base + "/cam0_1"
      #expect(RTSPURL.resolve(control: "trackID=1", base: url, .append) == url + "/trackID=1")
      #expect(RTSPURL.resolve(control: "trackID=1", base: url, .strict) == base + "/trackID=1")
      #expect(RTSPURL.resolve(control: "trackID=1", base: url + "/", .strict) == url + "/trackID=1")
      // Whichever way the player resolves it, the track is found.
      for setup in ["rtsp://10.0.0.1/live/video", "rtsp://10.0.0.1/video"] {
        var camera = ScriptedCamera()
        camera.describeHeaders = "Content-Base: \(ScriptedCamera.url)\n"
        camera.describe()
        camera.ask("SETUP", setup, "Transport: RTP/AVP/TCP;unicast;interleaved=0-1\n")
        camera.answer("200 OK", "Transport: RTP/AVP/TCP;unicast;interleaved=0-1\nSession: 4455\n")
        camera.play()
        camera.video(3)
        let result = camera.script.analyze()
        #expect(result.severities("rtsp.content-base.absolute") == [.warning])
        #expect(result.streams.first?.codec == "H264", "\(setup)")
      }
    },
    FieldCase("rtsp-control-absolute-query", elsewhere: "the SETUP of exactly that URL") { input throws in
      let control = String(input.text.dropFirst("a=control:".count))
      #expect(RTSPURL.resolve(control: control, base: base + "/other/") == control)
      #expect(try RTSPURL(parsing: control).pathAndQuery == "/?tunnel&stream=video")
      #expect(RTSPURL.resolve(control: "?stream=video", base: base + "/x/") == base + "/x/?stream=video")
      #expect(RTSPURL.resolve(control: "RTSP://h/a?b#c", base: base) == "RTSP://h/a?b#c")
    },
    FieldCase("rtsp-control-session-missing", elsewhere: "the aggregate URL of PLAY") { input throws in
      #expect(SDPSession(parsing: input.text).control == nil)
      #expect(RTSPURL.resolve(control: nil, base: base + "/live/") == base + "/live/")
      #expect(ScriptedCamera.described(input.text.filter { $0 != "\r" }).severities("sdp.control") == [.warning])
      let empty = input.text.split(separator: "\r\n").joined(separator: "\n") + "\n"
      #expect(ScriptedCamera.described("v=0\na=control:*\n" + empty.dropFirst(4)).severities("sdp.control") == [])
    },
    FieldCase("rtsp-second-play-reply-in-stream") { input throws in
      let items = fieldItems(input.bytes)
      #expect(items.count == 3)
      guard case .message(let reply, _, let deviations) = items[1] else { throw Mismatch() }
      #expect(reply.status == 200 && reply.cseq == 6 && deviations.isEmpty)
      // A reply between any two packets, and two of them in one segment, lose nothing.
      var camera = ScriptedCamera()
      camera.start()
      for picture in 0..<6 {
        camera.video(1, gop: 100)
        if picture % 2 == 0 { camera.play() }
      }
      let result = camera.script.analyze()
      #expect(result.errors.isEmpty, "\(result.errors)")
      #expect(result.streams.first?.lost == 0)
    },
    FieldCase("rtsp-cseq-trailing-space") { input throws in
      for text in [input.text, "RTSP/1.0 200 OK\r\nCSeq:\t2\t \r\n\r\n", "RTSP/1.0 200 OK\r\ncseq:2\r\n\r\n"] {
        let read = try #require(fieldMessage(text))
        #expect(read.message.cseq == 2)
        #expect(read.deviations.isSubset(of: [.trailingBlank]))
      }
      var camera = ScriptedCamera()
      camera.answerCSeq = { "CSeq: \($0) \n" }
      camera.options()
      #expect(camera.script.analyze().findings.isEmpty)
    },
    FieldCase("rtsp-blank-continuation-line") { input throws in
      let next = "RTSP/1.0 200 OK\r\nCSeq: 7\r\n\r\n"
      let items = fieldItems(Array((input.text + next).utf8))
      #expect(items.count == 2)
      guard case .message(let reply, _, let deviations) = items[0] else { throw Mismatch() }
      #expect(reply.session?.id == "77")
      #expect(reply.headers["RTP-Info"] != nil)
      #expect(deviations.map(\.kind) == [.blankContinuation])
      for fold in ["Public: PLAY,\n SETUP\n", "Public: PLAY,\n\tSETUP\n", "Public: PLAY\n \nServer: x\n"] {
        var camera = ScriptedCamera()
        camera.ask("OPTIONS")
        camera.answer("200 OK", fold)
        camera.options()
        let result = camera.script.analyze()
        #expect(result.severities("rtsp.header.fold") == [.warning], "\(fold)")
        #expect(result.errors.isEmpty)
      }
    },
    FieldCase("rtsp-bare-lf") { input throws in
      let read = try #require(fieldMessage(input.text))
      #expect(read.message.status == 401 && read.message.cseq == 1)
      #expect(AuthenticateHeader(read.message.headers).challenges.first?["nonce"] == "ab")
      #expect(read.deviations == [.bareLF])
      // All lines, one line in the middle, only the empty line, a lone CR inside.
      for text in [
        "RTSP/1.0 200 OK\nCSeq: 1\n\n", "RTSP/1.0 200 OK\r\nServer: x\nCSeq: 1\r\n\r\n",
        "RTSP/1.0 200 OK\r\nCSeq: 1\r\n\n",
        "RTSP/1.0 200 OK\r\nServer: a\rb\r\nCSeq: 1\r\n\r\n",
      ] {
        var camera = ScriptedCamera()
        camera.ask("OPTIONS", ScriptedCamera.url, "Session: 1\n")
        camera.script.segment(Array(text.utf8), fromServer: true)
        let result = camera.script.analyze()
        #expect(result.severities("rtsp.line.crlf") == [.error], "\(text)")
        #expect(result.severities("rtsp.response.single") == [], "\(text)")
      }
    },
    FieldCase("rtsp-empty-header-value") { input throws in
      let headers = try #require(fieldMessage(input.text)).message.headers
      #expect(headers["Server"] == "" && headers["Cache-Control"] == "")
      for (header, value) in [("Session", ""), ("Transport", ""), ("RTP-Info", ""), ("Public", "")] {
        var camera = ScriptedCamera()
        camera.ask("OPTIONS", ScriptedCamera.url, "\(header): \(value)\n")
        camera.answer("200 OK", "\(header): \(value)\nPublic: PLAY\n")
        #expect(camera.script.analyze().errors.isEmpty, "\(header)")
      }
    },
    FieldCase("rtsp-header-body-split") { _ throws in
      // Anywhere: the description arrives in segments of one size, 300 ms apart.
      for size in [1, 7, 60, 400] {
        var camera = ScriptedCamera()
        camera.ask("DESCRIBE")
        let body = WireScript.text(camera.sdp)
        let head =
          "RTSP/1.0 200 OK\r\nCSeq: 1\r\nContent-Type: application/sdp\r\nContent-Length: \(body.count)\r\n\r\n"
        var rest = (Array(head.utf8) + body)[...]
        while !rest.isEmpty {
          camera.script.segment(Array(rest.prefix(size)), fromServer: true)
          camera.script.wait(size < 60 ? 0.001 : 0.3)
          rest = rest.dropFirst(size)
        }
        camera.setup("video", first: 0)
        camera.play()
        camera.video(3)
        let result = camera.script.analyze()
        #expect(result.findings.isEmpty, "\(size): \(result.findings)")
        #expect(result.streams.first?.codec == "H264")
      }
    },
    FieldCase("rtsp-redirect-scheme-loop", elsewhere: "the request line on TLS, the hop limit of a player") {
      _ throws in
      #expect(try RTSPURL(parsing: "rtsps://192.0.2.10/live").port == 322)
      #expect(try RTSPURL(parsing: "rtsp://192.0.2.10:322/live").port == 322)
      for (from, to, isFair) in [
        ("rtsp://a/1", "rtsps://a/1", true), ("rtsps://a/1", "rtsp://a/1", false), ("rtsp://a/1", "rtsp://a/1", false),
      ] {
        var camera = ScriptedCamera()
        camera.ask("OPTIONS", from)
        camera.answer("301 Moved Permanently", "Location: \(to)\n")
        #expect(camera.script.analyze().severities("rtsp.redirect.sane") == (isFair ? [] : [.error]), "\(from) \(to)")
      }
    },
    FieldCase("rtsp-redirect-302-other-port", elsewhere: "the new connection and its CSeq") { input throws in
      let reply = try #require(fieldMessage(input.text))
      #expect(reply.deviations.contains(.missingCSeq))
      #expect(try RTSPURL(parsing: reply.message.headers["Location"] ?? "").port == 1554)
      var camera = ScriptedCamera()
      camera.ask("DESCRIBE")
      camera.script.server("RTSP/1.0 302 Moved Temporarily\nLocation: rtsp://10.0.0.1:1554/s1\n\n")
      camera.script.close()
      // It goes on there, on the port that the client finds.
      camera.script.clientPort += 1
      camera.script.serverPort = 1554
      camera.script.open()
      camera.cseq = 0
      camera.start()
      camera.video(5)
      let result = camera.script.analyze()
      #expect(result.errors.map(\.check) == ["rtsp.cseq.present"])
      #expect(result.dialogues == 2)
      #expect(result.streams.first?.codec == "H264")
    },
    FieldCase("rtsp-auth-basic-and-digest", elsewhere: "choosing Digest and computing each response") { input throws in
      let reply = try #require(fieldMessage(input.text)).message
      #expect(reply.headers.all("WWW-Authenticate").count == 2)
      #expect(AuthenticateHeader(reply.headers).challenges.map(\.scheme) == ["Basic", "Digest"])
      let joined = AuthenticateHeader(parsing: "Digest realm=\"c\", nonce=\"1\", Basic realm=\"c\"")
      #expect(joined.challenges.map(\.scheme) == ["Digest", "Basic"])
      for (headers, count) in [
        ("WWW-Authenticate: Basic realm=\"cam\"\nWWW-Authenticate: Digest realm=\"cam\", nonce=\"00ff\"\n", 0),
        ("WWW-Authenticate: Basic realm=\"cam\", Digest realm=\"cam\"\n", 1), ("WWW-Authenticate: Basic\n", 0),
        ("WWW-Authenticate: DIGEST NONCE=x,REALM=y\n", 0),
      ] {
        var camera = ScriptedCamera()
        camera.ask("DESCRIBE")
        camera.answer("401 Unauthorized", headers)
        #expect(camera.script.analyze().severities("rtsp.auth.challenge").count == count, "\(headers)")
      }
    },
    FieldCase("rtsp-auth-realm-space", elsewhere: "the response that a player computes") { input throws in
      let value = String(input.text.dropFirst("WWW-Authenticate: ".count))
      let challenge = try #require(AuthenticateHeader(parsing: value).challenges.first)
      #expect(challenge["realm"] == "rtsp server, unit 1")
      #expect(challenge["nonce"] == "AAECAw==")
      #expect(!challenge.isStale)
      let odd = AuthenticateHeader(parsing: #"digest realm = "a \"b\", nonce=c", nonce="" , opaque=x=,stale=TRUE"#)
      #expect(odd.challenges.count == 1)
      #expect(odd.challenges.first?["realm"] == #"a "b", nonce=c"#)
      #expect(odd.challenges.first?["opaque"] == "x=")
      #expect(odd.challenges.first?.isStale == true)
      for hostile in [
        "", ",,,", "\"", "Digest realm=\"", "Digest realm=\"\\", "=", "a=b", String(repeating: "x ", count: 999),
      ] {
        #expect(AuthenticateHeader(parsing: hostile).challenges.count <= 16)
      }
    },
    FieldCase("rtsp-url-credentials-special", elsewhere: "the request line of a player") { _ throws in
      let encoded = try RTSPURL(parsing: "rtsp://user:p%40ss%3F1@192.0.2.10/s1")
      #expect(encoded.password == "p@ss?1")
      #expect(encoded.credentialsRemoved == "rtsp://192.0.2.10/s1")
      #expect(throws: RTSPURLError.ambiguousCredentials) { try RTSPURL(parsing: "rtsp://user:p@ss?1@192.0.2.10/s1") }
      #expect(try RTSPURL(parsing: "rtsp://user:p@ss@192.0.2.10/s1").password == "p@ss")
      #expect(try RTSPURL(parsing: "rtsp://192.0.2.10/s1?u=a@b").user == nil)
      for url in ["rtsp://user:p%40ss%3F1@10.0.0.1/live", "rtsp://user@10.0.0.1/live", "rtsp://:x@10.0.0.1/live"] {
        var camera = ScriptedCamera()
        camera.ask("OPTIONS", url)
        camera.answer("200 OK", "Public: PLAY\n")
        let found = camera.script.analyze().findings
        #expect(found.map(\.check) == ["rtsp.url.no-credentials"], "\(url)")
        #expect(!"\(found)".contains("p%40ss"))
      }
    },
    FieldCase("rtsp-url-ipv6", elsewhere: "connecting with the zone") { _ throws in
      let url = try RTSPURL(parsing: "rtsp://[fe80::1%25wlan0]:8554/live")
      #expect(url.host == "fe80::1" && url.zone == "wlan0" && url.port == 8554)
      #expect(url.credentialsRemoved.contains("[fe80::1"))
      #expect(try RTSPURL(parsing: "rtsp://[::1]/v").isIPv6)
      for bad in ["rtsp://fe80::1/live", "rtsp://[fe80::1/live", "rtsp://[]/live", "rtsp://[::1]x/"] {
        #expect(throws: RTSPURLError.self) { try RTSPURL(parsing: bad) }
      }
      let sdp = ScriptedCamera().sdp
      for (origin, expected) in [
        ("o=- 1 1 IN IP4 fe80::1", [Severity.warning]), ("o=- 1 1 IN IP6 10.0.0.1", [.warning]),
        ("o=- 1 1 IN IP6 fe80::1", []),
      ] {
        let text = sdp.split(separator: "\n").map { $0.hasPrefix("o=") ? origin : String($0) }.joined(separator: "\n")
        #expect(ScriptedCamera.described(text + "\n").severities("sdp.o.syntax") == expected, "\(origin)")
      }
    },
    FieldCase("rtsp-http-tunnel-get", elsewhere: "the two requests of a tunnel: it is named, and not judged") {
      _ throws in
      for head in [
        "GET / HTTP/1.1\nx-sessioncookie: abc\nContent-Length: 32767\nAccept: application/x-rtsp-tunnelled\n\n",
        "GET /live HTTP/1.0\nX-SessionCookie: abc\n\n",
      ] {
        var script = WireScript()
        script.serverPort = 80
        script.open()
        script.client(head)
        let result = script.analyze()
        #expect(result.unjudged.map(\.kind) == [.httpTunnel], "\(head)")
        #expect(result.findings.isEmpty && result.dialogues == 0)
      }
    },
  ]
}

/// The input was read as something else than it is.
struct Mismatch: Error {}
