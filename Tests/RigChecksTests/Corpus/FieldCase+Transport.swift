import RigBytes
import RigChecks
import RigModel
import RigWire
import Testing

extension FieldCase {
  private static func answered(_ reply: String?, tcp: Bool = false, pictures: Int = 5) -> AnalysisResult {
    var camera = ScriptedCamera(tcp: tcp)
    camera.transportReply = { _ in reply }
    camera.start()
    camera.video(pictures)
    return camera.script.analyze()
  }

  static let transport: [FieldCase] = [
    FieldCase("transport-interleaved-reassigned", elsewhere: "following the server's channels") { _ throws in
      for channel in [4, 2, 200] {
        var camera = ScriptedCamera()
        camera.transportReply = { _ in "RTP/AVP/TCP;unicast;interleaved=\(channel)-\(channel + 1)" }
        camera.start()
        for packet in camera.picture(isKey: true) { camera.send(packet.bytes, channel: channel) }
        let result = camera.script.analyze()
        #expect(result.streams.first?.packets == 4, "\(channel)")
        #expect(result.streams.first?.channel == UInt8(channel))
        #expect(result.severities("transport.interleaved.any") == [.policy], "\(channel)")
        #expect(result.severities("framing.channel.assigned") == [])
      }
    },
    FieldCase("transport-header-missing", elsewhere: "assuming the channels, learning the port") { _ throws in
      for tcp in [true, false] {
        let result = answered(nil, tcp: tcp)
        #expect(result.severities("transport.present") == [.error])
        #expect(result.streams.first?.codec == "H264", "tcp \(tcp)")
      }
      #expect(answered("", tcp: true).severities("transport.present") == [])
    },
    FieldCase("transport-ports-hardcoded", elsewhere: "the port that a player listens on") { _ throws in
      let wrong = answered("RTP/AVP;unicast;client_port=8000-8001;server_port=39000-35968")
      #expect(wrong.severities("transport.echo") == [.warning])
      #expect(wrong.severities("transport.syntax") == [.warning])
      #expect(
        answered("RTP/AVP;unicast;client_port=5000-5001;server_port=6001-6000").severities("transport.syntax") == [
          .warning
        ])
      #expect(answered("RTP/AVP;unicast;client_port=5000-5001;server_port=6000").findings.isEmpty)
    },
    FieldCase("transport-bad-separator") { input throws in
      let header = try #require(TransportHeader.parse(String(input.text.dropFirst("Transport: ".count))).first)
      #expect(header.serverPorts == .init(40000, 40001) && header.ssrc == 0xffff_cccc)
      for reply in [
        "RTP/AVP;unicast;client_port=5000-5001;server_port=6000-6001,ssrc=11111111",
        "RTP/AVP,unicast,client_port=5000-5001,server_port=6000-6001",
        "RTP/AVP;unicast;client_port=5000-5001;server_port=6000-6001;",
        "RTP/AVP;;unicast;client_port=5000-5001;server_port=6000-6001",
      ] {
        let result = answered(reply)
        #expect(!result.severities("transport.syntax").isEmpty, "\(reply)")
        #expect(result.errors.isEmpty)
        #expect(result.streams.first?.packets == 8, "\(reply)")
      }
      // Blanks are no fault.
      #expect(
        answered("RTP/AVP; unicast; client_port = 5000 - 5001; server_port=6000-6001").severities("transport.syntax")
          == [])
    },
    FieldCase("transport-source-port-differs") { _ throws in
      for port in [6970, 1, 65_535] {
        let result = answered("RTP/AVP;unicast;client_port=5000-5001;server_port=\(port)")
        #expect(result.severities("transport.server-port.used") == [.warning], "\(port)")
        let found = result.findings.first { $0.check == "transport.server-port.used" }
        #expect(found?.message.contains("\(port)") == true && found?.message.contains("6000") == true)
        #expect(result.streams.first?.packets == 8)
      }
    },
    FieldCase("transport-unicast-default", elsewhere: "asking for unicast in so many words") { input throws in
      let header = try #require(TransportHeader.parse(String(input.text.dropFirst("S: Transport: ".count))).first)
      #expect(header.destination == "239.1.1.1" && header.ports == .init(1234, 1235) && header.ttl == 1)
      let result = answered("RTP/AVP/UDP;multicast;destination=239.1.1.1;port=1234-1235;ttl=1;mode=play", pictures: 0)
      #expect(result.severities("transport.echo") == [.warning])
      let silent = answered("RTP/AVP/UDP;destination=239.1.1.1;port=1234-1235;ttl=1;mode=play", pictures: 0)
      #expect(silent.severities("transport.syntax") == [.warning])
      // A request that leaves the word out.
      var camera = ScriptedCamera(tcp: false)
      camera.ask("SETUP", ScriptedCamera.url, "Transport: RTP/AVP;client_port=5000-5001\n")
      camera.answer("200 OK", "Transport: RTP/AVP;multicast;destination=239.1.1.1;port=1234-1235\nSession: 1\n")
      #expect(camera.script.analyze().severities("transport.syntax") == [.warning])
    },
    FieldCase("transport-461-retry-auth", elsewhere: "the retry over TCP with fresh credentials") { _ throws in
      var camera = ScriptedCamera(tcp: false)
      let digest = "Authorization: Digest username=\"u\", realm=\"c\", nonce=\"a\", response=\"0\"\n"
      camera.ask("DESCRIBE", ScriptedCamera.url, digest)
      camera.answer("200 OK", "Content-Type: application/sdp\n" + camera.describeHeaders, body: camera.sdp)
      camera.ask("SETUP", ScriptedCamera.url + "/video", digest + "Transport: RTP/AVP;unicast;client_port=5000-5001\n")
      camera.answer("461 Unsupported Transport")
      camera.ask("SETUP", ScriptedCamera.url + "/video", "Transport: RTP/AVP/TCP;unicast;interleaved=0-1\n")
      camera.answer("401 Unauthorized", "WWW-Authenticate: Digest realm=\"c\", nonce=\"b\"\n")
      camera.ask("SETUP", ScriptedCamera.url + "/video", digest + "Transport: RTP/AVP/TCP;unicast;interleaved=0-1\n")
      camera.answer("200 OK", "Transport: RTP/AVP/TCP;unicast;interleaved=0-1\nSession: 4455\n")
      camera.play()
      camera.isTCP = true
      camera.video(5)
      // The server did nothing wrong, and the second transport is the one.
      let result = camera.script.analyze()
      #expect(result.findings.isEmpty, "\(result.findings)")
      #expect(result.streams.first?.transport == .tcp)
    },
  ]

  static let framing: [FieldCase] = [
    FieldCase("interleaved-reply-inside-frame") { input throws in
      let items = fieldItems(input.bytes)
      #expect(items.contains { if case .message(let m, _, _) = $0 { m.status == 400 && m.cseq == 9 } else { false } })
      #expect(items.count { if case .damagedFrame = $0 { true } else { false } } == 1)
      #expect(items.count { if case .interleaved = $0 { true } else { false } } == 3)
      for announced in [0x40, 0x200, 0xffff] {
        let broken: [UInt8] = [0x24, 0, UInt8(announced >> 8), UInt8(announced & 255)] + input.bytes.dropFirst(4)
        let result = ScriptedCamera.streamed(broken)
        #expect(result.severities("framing.intact").contains(.error), "\(announced)")
        #expect(result.streams.first?.packets == 3, "\(announced)")
        #expect(result.streams.first?.lost == 0)
      }
    },
    FieldCase("interleaved-garbage-between") { input throws in
      for garbage in [[0xde, 0xad, 0xbe, 0xef, 0x24, 0], [0], [0x24, 9, 9], [UInt8](repeating: 0x24, count: 300)]
        as [[UInt8]]
      {
        let result = ScriptedCamera.streamed(input.pieces[0] + garbage + input.pieces[2], then: 500)
        #expect(result.severities("framing.intact") == [.error], "\(garbage.count)")
        #expect(
          result.findings.first { $0.check == "framing.intact" }?.message.hasPrefix("\(garbage.count) bytes") == true)
        #expect(result.streams.first?.packets == 2 && result.streams.first?.lost == 0)
      }
      #expect(input.pieces[1].count == 6)
    },
    FieldCase("interleaved-partial-send") { input throws in
      let items = fieldItems(input.bytes)
      guard case .damagedFrame(let frame)? = items.first else { throw Mismatch() }
      #expect(frame.announced == 1400 && frame.found == 54)
      // What shows the lie is the rest of the announced length, which is the next frames.
      let result = ScriptedCamera.streamed(input.bytes, then: 100)
      #expect(result.severities("framing.intact") == [.error])
      // The damaged packet counts as one that came, and nothing else is lost.
      #expect(result.streams.first?.packets == 2 && result.streams.first?.lost == 0)
      // The tail is lost anywhere.
      for kept in [16, 20, 40] {
        let cut = Array(input.pieces[0].prefix(kept)) + input.pieces[1] + input.pieces[1]
        #expect(ScriptedCamera.streamed(cut, then: 100).severities("framing.intact").first == .error, "\(kept)")
      }
    },
    FieldCase("interleaved-before-play-reply", elsewhere: "keeping the early packets as media") { input throws in
      let items = fieldItems(input.bytes)
      #expect(items.count == 3)
      for early in [1, 5, 20] {
        var camera = ScriptedCamera()
        camera.options()
        camera.describe()
        camera.setup("video", first: 0)
        camera.ask("PLAY", ScriptedCamera.url + "/", "Session: 4455\n")
        camera.report()
        camera.video(early, gop: 100)
        camera.answer("200 OK", "Session: 4455\n" + camera.playHeaders)
        camera.video(5, gop: 100)
        let result = camera.script.analyze()
        #expect(result.findings.isEmpty, "\(early): \(result.findings)")
        #expect(result.streams.first?.packets == Int64(early) + 5 + 6)
      }
    },
    FieldCase("interleaved-rtcp-parsed-as-rtp") { input throws in
      // Audio alone, on channels 2 and 3.
      var camera = ScriptedCamera(audio: true)
      camera.describe()
      camera.ask("SETUP", ScriptedCamera.url + "/audio", "Transport: RTP/AVP/TCP;unicast;interleaved=2-3\n")
      camera.answer("200 OK", "Transport: RTP/AVP/TCP;unicast;interleaved=2-3\nSession: 4455\n")
      camera.play()
      camera.script.segment(input.bytes, fromServer: true)
      let result = camera.script.analyze()
      #expect(result.streams.map(\.ssrc) == [0x44])
      #expect(result.streams.first?.codec == "MPEG4-GENERIC")
      #expect(result.severities("aac.au-headers") == [] && result.severities("framing.intact") == [])
      let unit = AACPayload(parsing: Array(input.pieces[1].dropFirst(16)), sizes: .highBitRate)
      #expect(unit.units.map(\.size) == [2] && unit.problems.isEmpty)
      // RTCP on the channel of the RTP, as RFC 5761 allows.
      var muxed = ScriptedCamera()
      muxed.start()
      muxed.send(RTCPPacket.compound([.receiverReport(.init(ssrc: 1))]), channel: 0)
      muxed.video(5)
      #expect(muxed.script.analyze().streams.map(\.packets) == [8])
    },
    FieldCase("interleaved-zero-length") { input throws in
      let result = ScriptedCamera.streamed(input.bytes)
      #expect(result.severities("framing.intact") == [.warning])
      #expect(result.streams.first?.packets == 1)
      let many = ScriptedCamera.streamed((0..<50).flatMap { _ in input.bytes })
      #expect(many.findings.first { $0.check == "framing.intact" }?.count == 50)
    },
    FieldCase("interleaved-large-frame") { _ throws in
      for (size, expected) in [(7349, [Severity.policy]), (60_000, [.policy]), (2_000, [])] {
        let payload = [UInt8(0x65)] + [UInt8](repeating: 0x55, count: size - 1)
        let result = ScriptedCamera.played([fieldPacket(1, 900_000, payload), fieldPacket(2, 903_600, [0x41, 0x9a])])
        #expect(result.severities("rtp.size.mtu") == expected, "\(size)")
        #expect(result.streams.first?.packets == 2)
        #expect(result.severities("framing.intact") == [])
      }
    },
  ]
}
