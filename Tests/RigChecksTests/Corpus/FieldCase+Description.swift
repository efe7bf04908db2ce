import RigBytes
import RigChecks
import RigModel
import RigWire
import Testing

extension FieldCase {
  private static let video = "m=video 0 RTP/AVP 96\na=rtpmap:96 H264/90000\na=control:t1\n"
  private static func withLF(_ text: String) -> String { text.split(separator: "\r\n").joined(separator: "\n") + "\n" }
  private static func described(_ lines: String) -> AnalysisResult {
    ScriptedCamera.described("v=0\no=- 1 1 IN IP4 10.0.0.1\ns=x\nc=IN IP4 0.0.0.0\nt=0 0\na=control:*\n" + lines)
  }

  static let description: [FieldCase] = [
    FieldCase("sdp-no-origin") { input throws in
      let result = ScriptedCamera.described(withLF(input.text))
      #expect(result.severities("sdp.mandatory") == [.error])
      #expect(result.severities("sdp.text") == [.warning])
      #expect(SDPSession(parsing: input.text).media.first?.control == "t1")
      for line in ["o=", "s=", "t=", "v="] {
        let text = ScriptedCamera().sdp.split(separator: "\n").filter { !$0.hasPrefix(line) }.joined(separator: "\n")
        #expect(ScriptedCamera.described(text + "\n").severities("sdp.mandatory") == [.error], "\(line)")
      }
    },
    FieldCase("sdp-origin-truncated") { _ throws in
      for (origin, connection, check) in [
        ("o=- 1001 1 IN ", "c=IN IP4 0.0.0.0", "sdp.o.syntax"), ("o=- 1 1 IN IP4 10.0.0.1", "c=IN ", "sdp.c.syntax"),
        ("o=", "c=IN IP4 0.0.0.0", "sdp.o.syntax"), ("o=- x 1 IN IP4 10.0.0.1", "c=IN IP4 0.0.0.0", "sdp.o.syntax"),
        ("o=- 1 1 IN IP4 10.0.0.1", "c=", "sdp.c.syntax"),
      ] {
        let result = ScriptedCamera.described("v=0\n\(origin)\ns=x\n\(connection)\nt=0 0\na=control:*\n" + video)
        #expect(result.severities(check) == [.error], "\(origin) \(connection)")
      }
    },
    FieldCase("sdp-vendor-media-line", elsewhere: "setting up the good media only") { input throws in
      for line in [withLF(input.text), "m=video/x 0 RTP/AVP 96\n", "m=video 0 RTP/AVP h264\n", "m=audio\n"] {
        let result = described(video + line)
        #expect(result.severities("sdp.m.syntax").contains(.error), "\(line)")
      }
      let session = SDPSession(
        parsing: "v=0\r\n" + video.split(separator: "\n").joined(separator: "\r\n") + "\r\n" + input.text)
      #expect(session.media.map(\.isPlayable) == [true, false])
    },
    FieldCase("sdp-negative-port-binary") { input throws in
      var camera = ScriptedCamera()
      camera.ask("DESCRIBE")
      let body =
        Array("v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=x\r\nt=0 0\r\na=control:*\r\n".utf8)
        + Array("m=video -1353744643 RTP/AVP 96\r\nc=IN IP4 '&".utf8) + [0xff, 0xfe, 0, 1]
        + Array("\r\na=rtpmap:96 H264/90000\r\na=control:t0\r\n".utf8)
      let head = "RTSP/1.0 200 OK\r\nCSeq: 1\r\nContent-Type: application/sdp\r\nContent-Length: \(body.count)\r\n\r\n"
      camera.script.segment(Array(head.utf8) + body, fromServer: true)
      let result = camera.script.analyze()
      #expect(result.severities("sdp.m.syntax") == [.error])
      #expect(result.severities("sdp.text").contains(.error))
      #expect(SDPSession(parsing: body).media.first?.control == "t0")
      for port in ["70000", "x", "", "1e3"] {
        #expect(
          described("m=video \(port) RTP/AVP 96\na=control:t1\n").severities("sdp.m.syntax").contains(.error), "\(port)"
        )
      }
      #expect(!input.text.isEmpty)
    },
    FieldCase("sdp-no-final-newline") { _ throws in
      let text = "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=x\r\nt=0 0\r\nm=video 0 RTP/AVP 96\r\na=control:track1"
      #expect(SDPSession(parsing: text).media.first?.control == "track1")
      for ending in ["", "\r", "\0"] {
        let session = SDPSession(parsing: Array((text + ending).utf8))
        #expect(session.media.first?.control == "track1", "\(ending.debugDescription)")
        #expect(session.deviations.contains { $0.kind == .noFinalLineEnd })
      }
      var camera = ScriptedCamera()
      camera.sdp.removeLast()
      camera.ask("DESCRIBE")
      let body = Array(camera.sdp.split(separator: "\n").joined(separator: "\r\n").utf8)
      camera.script.segment(
        Array("RTSP/1.0 200 OK\r\nCSeq: 1\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body, fromServer: true)
      #expect(camera.script.analyze().severities("sdp.text") == [.warning])
    },
    FieldCase("sdp-origin-u64-overflow") { input throws in
      for origin in [input.text, "o=- \(String(repeating: "9", count: 400)) 1 IN IP4 0.0.0.0"] {
        let result = ScriptedCamera.described("v=0\n\(origin)\ns=x\nc=IN IP4 0.0.0.0\nt=0 0\na=control:*\n" + video)
        #expect(result.severities("sdp.o.syntax") == [])
      }
      #expect(SDPSession(parsing: "v=0\r\n\(input.text)\r\n").origin?.sessionID == "19599440071187478912")
    },
    FieldCase("sdp-fmtp-other-pt") { input throws in
      let media = try #require(SDPSession(parsing: input.text).media.first)
      #expect(media.fmtp(104).map { AACFormatParameters($0).config } == [0x14, 0x08])
      #expect(described(withLF(input.text)).severities("sdp.fmtp.pt") == [.error])
      // Two formats: which one is meant cannot be told.
      let two = SDPSession(parsing: withLF(input.text).replacing("AVP 104", with: "AVP 104 105"))
      #expect(two.media.first?.fmtp(104) == nil)
      #expect(
        described("m=video 0 RTP/AVP 96\na=rtpmap:97 H264/90000\na=control:t\n").severities("sdp.fmtp.pt") == [.error])
      // The audio decodes all the same.
      var camera = ScriptedCamera.edited(audio: true) { $0.replacing("a=fmtp:97", with: "a=fmtp:105") }
      camera.start()
      camera.audio(10)
      #expect(camera.script.analyze().severities("aac.au-headers") == [])
    },
    FieldCase("sdp-sprop-empty") { _ throws in
      for value in ["", ",", "=", ",,,"] {
        var camera = ScriptedCamera.edited {
          $0.replacing("\(ScriptedCamera.sps),\(ScriptedCamera.pps)", with: value)
        }
        camera.start()
        camera.video(30)
        let result = camera.script.analyze()
        #expect(result.severities("sdp.h264.sprop").first != nil, "\(value)")
        // They come in band, before the key picture.
        #expect(result.severities("media.decodable") == [], "\(value)")
      }
      var late = ScriptedCamera.edited { $0.replacing("\(ScriptedCamera.sps),\(ScriptedCamera.pps)", with: "") }
      late.start()
      late.video(30) { _, packet in packet.payload.first == 0x18 ? [] : [packet] }
      #expect(late.script.analyze().severities("media.decodable") == [.error])
    },
    FieldCase("sdp-sprop-three-sets") { input throws in
      let format = try #require(SDPFormatParameters(parsing: String(input.text.dropFirst("a=fmtp:".count))))
      let parameters = H264FormatParameters(format)
      #expect(parameters.sequenceParameterSets.count == 1 && parameters.pictureParameterSets.count == 2)
      for sets in ["Z2QAKQ==,aPqPLA==,aF6jzA==", "aPqPLA==,Z2QAKQ=="] {
        let result = described(
          "m=video 0 RTP/AVP 96\na=rtpmap:96 H264/90000\na=fmtp:96 packetization-mode=1;sprop-parameter-sets=\(sets)\n"
            + "a=control:t\n")
        #expect(result.severities("sdp.h264.sprop").filter { $0 == .error }.isEmpty, "\(sets)")
      }
    },
    FieldCase("sdp-huge", elsewhere: "the fault is the emulator's to produce") { _ throws in
      for (bytes, expected) in [(60_055, [Severity.warning]), (120_000, [.warning]), (3_000, [])] {
        let set = String(repeating: "Z0LADNkB", count: bytes / 8)
        let camera = ScriptedCamera.edited { $0.replacing(ScriptedCamera.sps, with: set) }
        let result = ScriptedCamera.described(camera.sdp)
        #expect(result.severities("sdp.text") == expected, "\(bytes): \(result.findings)")
        #expect(result.severities("sdp.mandatory") == [])
      }
      // Beyond what is kept: said, and the dialogue goes on.
      var camera = ScriptedCamera()
      camera.sdp += String(repeating: "a=x\n", count: 300_000)
      camera.describe()
      camera.options()
      let result = camera.script.analyze()
      #expect(!result.errors.isEmpty)
      #expect(result.severities("rtsp.options.star") == [])
    },
    FieldCase("sdp-aac-no-indexlength") { input throws in
      let payload = Array(input.bytes.dropFirst(12))
      let parsed = AACPayload(parsing: payload, sizes: AACHeaderSizes(size: 13, index: 0, indexDelta: 0))
      #expect(parsed.units.map(\.size) == [4] && parsed.problems.isEmpty)
      func play(_ lengths: String, _ packet: [UInt8]) -> [Severity] {
        ScriptedCamera.played([packet, packet], audio: true) {
          $0.sdp = $0.sdp.replacing("sizelength=13;indexlength=3;indexdeltalength=3", with: lengths)
        }.severities("aac.au-headers")
      }
      #expect(play("sizelength=13", input.bytes) == [])
      #expect(play("sizelength=13;indexlength=3;indexdeltalength=3", input.bytes) == [.error])
      #expect(
        play("sizelength=6;indexlength=2;indexdeltalength=2", Array(input.bytes[..<12]) + [0, 8, 3 << 2, 1, 2, 3]) == []
      )
    },
  ]
}
