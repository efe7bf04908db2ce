import RigBytes
import RigChecks
import RigModel
import RigWire
import Testing

extension FieldCase {
  private static let named = "Session: 4455\n"

  /// What a camera that started makes of one more exchange.
  private static func exchange(
    _ method: String, _ status: String, _ headers: String = "Session: 4455\n", tcp: Bool = false, then pictures: Int = 0
  ) -> AnalysisResult {
    var camera = ScriptedCamera(tcp: tcp)
    camera.publicMethods += ", SET_PARAMETER"
    camera.start()
    camera.video(10)
    camera.ask(method, ScriptedCamera.url + "/", headers)
    camera.answer(status, named)
    camera.video(pictures, gop: 1000)
    return camera.script.analyze()
  }

  static let session: [FieldCase] = [
    FieldCase("rtsp-keepalive-cseq-off-by-one", elsewhere: "falling back to OPTIONS") { _ throws in
      for method in ["SET_PARAMETER", "GET_PARAMETER"] {
        var camera = ScriptedCamera()
        camera.publicMethods += ", SET_PARAMETER"
        camera.start()
        camera.answerCSeq = { "CSeq: \($0 - 1)\n" }
        camera.ask(method, ScriptedCamera.url + "/", named)
        camera.answer("400 Bad Request")
        camera.answerCSeq = { "CSeq: \($0)\n" }
        camera.video(10)
        let result = camera.script.analyze()
        #expect(Set(result.errors.map(\.check)) == ["rtsp.cseq.echo", "rtsp.public.truthful"], "\(method)")
        #expect(result.streams.first?.lost == 0)
      }
    },
    FieldCase("rtsp-auth-nonce-stale", elsewhere: "authenticating anew, once") { _ throws in
      func exchange(_ stale: String, again: Bool = false) -> [Severity] {
        var camera = ScriptedCamera()
        let digest = "Authorization: Digest username=\"u\", realm=\"c\", response=\"0\", "
        camera.start()
        for (nonce, status) in [("old", "200 OK"), ("old", "401 Unauthorized"), ("new1", again ? "401 x" : "200 OK")] {
          camera.ask("GET_PARAMETER", ScriptedCamera.url + "/", named + digest + "nonce=\"\(nonce)\"\n")
          let next = nonce == "old" ? "new1" : "new2"
          camera.answer(
            status, status.hasPrefix("2") ? "" : "WWW-Authenticate: Digest realm=\"c\", nonce=\"\(next)\"\(stale)\n")
        }
        camera.video(5)
        return camera.script.analyze().severities("rtsp.auth.stale")
      }
      #expect(exchange(", stale=TRUE") == [])
      #expect(exchange(", stale=\"true\"") == [])
      #expect(exchange("") == [.error])
      #expect(exchange(", stale=FALSE") == [.error])
      #expect(exchange(", stale=TRUE", again: true) == [.error])
    },
    FieldCase("session-timeout-short", elsewhere: "the keep-alive at half the timeout") { input throws in
      let header = SessionHeader(parsing: String(input.text.dropFirst("Session: ".count)))
      #expect(header.id == "4455" && header.effectiveTimeout == 10)
      for (text, timeout) in [("a", 60), ("a;timeout=x", 60), ("a; Timeout = 5 ", 5), ("a;timeout=99999999999", 60)] {
        #expect(SessionHeader(parsing: text).effectiveTimeout == timeout, "\(text)")
      }
      func played(_ seconds: Int, timeout: Int) -> [Severity] {
        var camera = ScriptedCamera(tcp: false)
        camera.timeout = timeout
        camera.start()
        for _ in 0..<(30 / seconds) {
          camera.video(25 * seconds, gop: 1000)
          camera.keepAlive()
        }
        return camera.script.analyze().severities("session.keepalive")
      }
      #expect(played(5, timeout: 10) == [])
      #expect(played(15, timeout: 10) == [.warning])
      #expect(played(15, timeout: 60) == [])
    },
    FieldCase("session-echoes-timeout", elsewhere: "the bare id of a player") { input throws in
      #expect(SessionHeader(parsing: "3289;timeout=60").id == "3289")
      for (headers, expected) in [("Session: 4455;timeout=60\n", [Severity.warning]), ("Session: 4455\n", [])] {
        let result = exchange("GET_PARAMETER", "200 OK", headers)
        #expect(result.severities("session.id.stable") == expected)
        #expect(result.errors.isEmpty)
      }
    },
    FieldCase("session-id-changes", elsewhere: "playing with the first id") { _ throws in
      for method in ["SETUP", "PLAY", "GET_PARAMETER"] {
        var camera = ScriptedCamera(audio: true)
        camera.describe()
        camera.setup("video", first: 0)
        let transport = "Transport: RTP/AVP/TCP;unicast;interleaved=2-3\n"
        camera.ask(method, ScriptedCamera.url + "/audio", (method == "SETUP" ? transport : "") + named)
        camera.answer("200 OK", (method == "SETUP" ? transport : "") + "Session: BBB;timeout=60\n")
        #expect(camera.script.analyze().severities("session.id.stable") == [.error], "\(method)")
      }
      // One more parameter is no other id.
      #expect(exchange("GET_PARAMETER", "200 OK").severities("session.id.stable") == [])
    },
    FieldCase("session-getparam-454", elsewhere: "the fault is the emulator's to produce") { _ throws in
      for method in ["GET_PARAMETER", "SET_PARAMETER", "OPTIONS"] {
        let result = exchange(method, "454 Session Not Found", then: 100)
        #expect(result.severities("session.keepalive") == [.error], "\(method)")
        #expect(result.severities("session.expiry") == [.error], "\(method)")
        #expect(result.streams.first?.lost == 0)
      }
      // Of a session that nobody knows, 454 is right.
      #expect(exchange("GET_PARAMETER", "454 Session Not Found", "Session: other\n", then: 100).errors.isEmpty)
    },
    FieldCase("session-teardown-silent", elsewhere: "the fault is the emulator's to produce") { _ throws in
      for (closes, expected) in [(true, [Severity.error]), (false, [])] {
        var camera = ScriptedCamera()
        camera.start()
        camera.video(5)
        camera.ask("TEARDOWN", ScriptedCamera.url + "/", named)
        // A player that closes first asked for no answer.
        camera.script.close(fromServer: closes)
        #expect(camera.script.analyze().severities("session.teardown") == expected)
      }
    },
    FieldCase("session-stale-second-stream") { input throws in
      let result = ScriptedCamera.played(input.pieces)
      #expect(result.streams.map(\.ssrc).sorted() == [0x11, 0x22])
      #expect(result.streams.map(\.lost) == [0, 0])
      #expect(result.severities("rtp.ssrc.stable") == [.error])
      // Three of them, in any mixture.
      var packets: [[UInt8]] = []
      for index in 0..<60 {
        let source = UInt32(index % 3)
        packets.append(
          fieldPacket(
            1000 * Int(source) + index / 3, index / 3 * 3600, ssrc: source + 1, [0x41, 0x9a]))
      }
      let three = ScriptedCamera.played(packets, tcp: false)
      #expect(three.streams.map(\.lost) == [0, 0, 0])
      #expect(three.severities("rtp.ssrc.stable").first == .error)
      #expect(three.severities("rtp.seq") == [])
    },
    FieldCase("session-play-500-glasses", elsewhere: "the fault is the emulator's to produce; TEARDOWN is a player's") {
      _ in
      for (status, expected) in [
        ("500 Internal Server Error", [Severity.error]), ("502 Bad Gateway", [.error]), ("503 x", [.warning]),
        ("404 x", []),
      ] {
        var camera = ScriptedCamera()
        camera.describe()
        camera.setup("video", first: 0)
        camera.ask("PLAY", ScriptedCamera.url + "/", named)
        camera.answer(status)
        camera.script.wait(8)
        camera.teardown()
        let result = camera.script.analyze()
        #expect(result.severities("rtsp.status.state") == expected, "\(status)")
        // Nothing was promised, so no media is missed.
        #expect(result.severities("media.decodable") == [])
      }
    },
    FieldCase("play-no-rtp-info", elsewhere: "taking the first packet as the base") { _ throws in
      var camera = ScriptedCamera()
      camera.playHeaders = ""
      camera.start()
      camera.video(5)
      let result = camera.script.analyze()
      #expect(result.severities("play.rtp-info") == [.warning])
      #expect(result.errors.isEmpty && result.streams.first?.lost == 0)
    },
    FieldCase("play-rtp-info-trailing-semicolon") { input throws in
      let header = RTPInfoHeader(parsing: String(input.text.dropFirst("RTP-Info: ".count)))
      #expect(header.streams == [.init(url: "rtsp://192.0.2.10/0/trackID=0", sequence: 0, rtpTime: 0)])
      #expect(header.deviations.map(\.kind) == [.trailingSeparator])
      for value in ["seq=65530;rtptime=900000;", "seq=65530;;rtptime=900000", "seq=65530;rtptime=x", "seq=70000"] {
        var camera = ScriptedCamera()
        camera.playHeaders = "RTP-Info: url=\(ScriptedCamera.url)/video;\(value)\n"
        camera.start()
        camera.video(5)
        let result = camera.script.analyze()
        #expect(result.severities("play.rtp-info") == [.warning], "\(value)")
        #expect(result.streams.first?.lost == 0)
      }
      // 0 and 0, and packets that begin elsewhere: named, and not counted as loss.
      var zero = ScriptedCamera()
      zero.playHeaders = "RTP-Info: url=\(ScriptedCamera.url)/video;seq=0;rtptime=0\n"
      zero.videoSequence = 30_000
      zero.start()
      zero.video(5)
      #expect(zero.script.analyze().severities("play.rtp-info") == [.warning])
      #expect(zero.script.analyze().streams.first?.lost == 0)
    },
    FieldCase("play-rtptime-zero") { _ throws in
      for (stated, first, expected) in [
        (UInt32(0), UInt32(0x7fa0_0000), [Severity.warning]), (0xffff_ff00, 0x100, []), (900_000, 900_000, []),
        (0x7fa0_0000, 0, [.warning]),
      ] {
        var camera = ScriptedCamera()
        camera.playHeaders = "RTP-Info: url=\(ScriptedCamera.url)/video;seq=65530;rtptime=\(stated)\n"
        camera.videoTime = first
        camera.start()
        camera.video(60)
        let result = camera.script.analyze()
        #expect(result.severities("play.rtp-info") == expected, "\(stated) \(first)")
        #expect(result.severities("timing.monotonic") == [])
      }
    },
    FieldCase("play-range-spelling", elsewhere: "the Range that a player sends, and what the emulated device accepts") {
      _ in
      for range in ["npt=0-", "npt=0.000-", "0.000-", "npt=now-", "clock=20261130T052428Z-"] {
        var camera = ScriptedCamera()
        camera.describe()
        camera.setup("video", first: 0)
        camera.ask("PLAY", ScriptedCamera.url + "/", named + "Range: \(range)\n")
        camera.answer("200 OK", named + camera.playHeaders)
        camera.script.wait(6)
        camera.keepAlive()
        let result = camera.script.analyze()
        #expect(result.severities("media.decodable") == [.error], "\(range)")
        // The refusal of a bad range is right, and nothing is missed then.
        var refused = ScriptedCamera()
        refused.describe()
        refused.setup("video", first: 0)
        refused.ask("PLAY", ScriptedCamera.url + "/", named + "Range: \(range)\n")
        refused.answer("457 Invalid Range")
        refused.script.wait(6)
        refused.keepAlive()
        #expect(refused.script.analyze().errors.isEmpty, "\(range)")
      }
    },
  ]
}
