import RigBytes
import RigChecks
import RigModel
import RigWire
import Testing

extension FieldCase {
  private static func p(_ sequence: Int, _ time: Int) -> [UInt8] { fieldPacket(sequence, time, [0x41, 0x9a, 1]) }

  static let stream: [FieldCase] = [
    FieldCase("rtp-ssrc-per-gop") { input throws in
      let result = ScriptedCamera.played(input.pieces)
      #expect(result.severities("rtp.ssrc.stable") == [.error])
      #expect(result.streams.map(\.lost) == [0, 0])
      for tcp in [true, false] {
        var camera = ScriptedCamera(tcp: tcp)
        camera.start()
        for round in 0..<5 {
          camera.video(25)
          camera.videoSSRC = 0x5000 + UInt32(round)
        }
        let many = camera.script.analyze()
        #expect(many.findings.first { $0.check == "rtp.ssrc.stable" }?.count == 4)
        #expect(many.streams.map(\.lost) == [0, 0, 0, 0, 0])
        #expect(many.tracks == 1)
      }
    },
    FieldCase("rtp-ssrc-not-as-announced") { _ throws in
      for (ssrc, expected) in [("0000a0c6", [Severity.error]), ("A0C6", [.error]), ("99", [])] {
        let packet = fieldPacket(1, 0, ssrc: 0x99, [0x41, 0x9a])
        let result = ScriptedCamera.played([packet]) { camera in
          camera.transportReply = { _ in "RTP/AVP/TCP;unicast;interleaved=0-1;ssrc=\(ssrc)" }
        }
        #expect(result.severities("transport.ssrc.match") == expected, "\(ssrc)")
        #expect(result.streams.first?.packets == 1)
      }
    },
    FieldCase("rtp-seq-skips-zero") { input throws in
      let once = ScriptedCamera.played(input.pieces)
      #expect(once.severities("rtp.seq") == [.error])
      #expect(once.streams.first?.lost == 1)
      // At each wrap: named as what it is.
      func wraps(_ first: UInt16, through: Int, skipping: Bool) -> AnalysisResult {
        var camera = ScriptedCamera(tcp: false)
        camera.start()
        var sequence = Int(first)
        for index in 0..<through {
          camera.send(p(sequence, index * 90), channel: 0)
          sequence = (sequence + 1) & 0xffff
          if sequence == 0, skipping { sequence = 1 }
          camera.script.wait(0.001)
        }
        return camera.script.analyze()
      }
      let twice = wraps(65_000, through: 70_000, skipping: true)
      #expect(twice.severities("rtp.seq") == [.error])
      let found = twice.findings.first { $0.check == "rtp.seq" }
      #expect(found?.count == 2 && found?.message.contains("number 0") == true)
      #expect(wraps(65_000, through: 3_000, skipping: false).severities("rtp.seq") == [])
    },
    FieldCase("rtp-seq-reset") { input throws in
      let result = ScriptedCamera.played(input.pieces)
      #expect(result.severities("rtp.seq") == [.error])
      #expect(result.streams.first?.lost == 0 && result.streams.first?.restarts == 1)
      for start in [0, 1, 20_000, 38_000] {
        let before = (0..<20).map { p(40_000 + $0, $0 * 3600) }
        let packets = before + (0..<20).map { p(start + $0, (20 + $0) * 3600) }
        let reset = ScriptedCamera.played(packets, tcp: false)
        #expect(reset.streams.first?.lost == 0, "\(start)")
        #expect(reset.streams.first?.restarts == 1, "\(start)")
      }
      // One stray packet is no restart.
      let stray = (0..<20).map { p($0 == 10 ? 9_999 : 100 + $0, $0 * 3600) }
      #expect(ScriptedCamera.played(stray).streams.first?.restarts == 0)
    },
    FieldCase("rtp-empty-payload-glasses") { input throws in
      let result = ScriptedCamera.played(input.pieces)
      #expect(result.severities("rtp.payload.empty") == [.warning])
      #expect(result.streams.first?.lost == 0)
      #expect(result.severities("h264.fu") == [] && result.severities("h264.stap") == [])
      // Padding alone, an extension alone, and in the middle of fragments.
      let padded = [0xa0, 0x60] + p(3, 0)[2..<12] + [0, 0, 0, 4]
      let extended = [0x90, 0x60] + p(4, 0)[2..<12] + [0xbe, 0xde, 0, 0]
      #expect(
        ScriptedCamera.played([p(2, 0), padded, extended]).findings.first { $0.check == "rtp.payload.empty" }?.count
          == 2)
    },
    FieldCase("rtp-header-extension") { input throws in
      let header = try RTPHeader(parsing: input.bytes)
      #expect(input.bytes[header.payload] == [0x65, 0x88])
      #expect(header.flaw == nil)
      for words in [0, 1, 40] {
        let packet =
          [0x90] + fieldPacket(1, 0, [])[1..<12] + [0xbe, 0xde, 0, UInt8(words)]
          + [UInt8](repeating: 7, count: 4 * words) + [0x65, 0x88]
        let header = try RTPHeader(parsing: packet)
        #expect(packet[header.payload] == [0x65, 0x88], "\(words)")
      }
      let result = ScriptedCamera.played([input.bytes])
      #expect(result.streams.first?.keyFrames == 1)
      // One word more than there is.
      let beyond = [0x90] + fieldPacket(1, 0, [])[1..<12] + [0xbe, 0xde, 0, 9, 1, 2, 3, 4]
      #expect(ScriptedCamera.played([beyond]).severities("rtp.version-padding-ext") == [.error])
    },
    FieldCase("rtp-over-mtu-udp-glasses") { _ throws in
      func run(drop: Int?) -> AnalysisResult {
        var camera = ScriptedCamera(tcp: false)
        camera.start()
        var packets = (8...10).map { p($0, $0 * 3600) }
        packets[1] += [UInt8](repeating: 0x55, count: 3985)
        for packet in packets {
          camera.send(packet, channel: 0)
          camera.script.wait(0.04)
        }
        var analyzer = CaptureAnalyzer(AnalysisContext(captureDropped: 0))
        var number = 0
        for frame in camera.script.frames {
          for (index, piece) in fragments(frame.bytes).enumerated() where index != drop || frame.bytes.count < 3000 {
            number += 1
            analyzer.see(frame: piece.span.bytes, number: number, time: frame.time, link: .ethernet)
          }
        }
        return analyzer.finish()
      }
      let whole = run(drop: nil)
      #expect(whole.streams.first?.lost == 0 && whole.severities("rtp.size.mtu") == [.warning])
      for lost in 0...2 {
        let result = run(drop: lost)
        #expect(result.streams.first?.lost == 1, "\(lost)")
        #expect(result.incompleteDatagrams == 1)
        #expect(result.findings.first { $0.check == "rtp.seq" }?.message.contains("IP fragment") == true)
      }
    },
    FieldCase("rtcp-no-sr", elsewhere: "the fault is the emulator's to produce") { _ throws in
      for (seconds, expected) in [(11, [Severity.error]), (8, [])] {
        var camera = ScriptedCamera()
        camera.start()
        for _ in 0..<(25 * seconds) {
          for packet in camera.picture(isKey: false) { camera.send(packet.bytes, channel: 0) }
          camera.videoTime &+= 3600
          camera.script.wait(0.04)
        }
        #expect(camera.script.analyze().severities("rtcp.sr.present") == expected, "\(seconds)")
      }
      var both = ScriptedCamera(audio: true)
      both.start()
      both.video(10)
      both.audio(10)
      // Not measurable is not 0.
      #expect(both.script.analyze().offsets.map(\.offset) == [nil])
    },
    FieldCase("rtcp-sr-send-time-anchor") { _ throws in
      func reports(_ steps: [(wall: Double, rtp: UInt32)]) -> [Severity] {
        var camera = ScriptedCamera()
        camera.start()
        camera.video(3)
        for step in steps {
          let report = RTCPPacket.SenderReport(
            ssrc: camera.videoSSRC, ntp: NTPTime(unixNanoseconds: 1_700_000_000_000_000_000 + Int64(step.wall * 1e9)),
            rtpTime: step.rtp, packetCount: 0, octetCount: 0)
          camera.send(RTCPPacket.compound([.senderReport(report)]), channel: 1)
          camera.script.wait(1)
        }
        return camera.script.analyze().severities("rtcp.sr.mapping")
      }
      #expect(reports([(100, 900_000), (105, 1_194_210)]) == [.error])
      #expect(reports([(100, 900_000), (105, 1_350_000)]) == [])
      #expect(reports([(100, 900_000), (105, 1_350_000 + 4_000)]) == [])
      #expect(reports([(100, 900_000), (105, 1_350_000 + 9_000)]) == [.error])
      // Across the wrap of RTP time, and a step of the wall clock back.
      #expect(reports([(100, 0xffff_ff00), (105, 0xffff_ff00 &+ 450_000)]) == [])
      #expect(reports([(100, 900_000), (90, 1_350_000)]) == [.error])
    },
    FieldCase("rtcp-length-overrun") { input throws in
      let compound = RTCPCompound(parsing: input.bytes)
      #expect(!compound.problems.isEmpty)
      let rest = Array(input.bytes.dropFirst(4))
      let compounds: [[UInt8]] = [
        input.bytes, [0x80, 200, 0xff, 0xff] + rest, [0x82, 200, 0, 6] + rest,
        [0x9f, 203, 0, 1, 0, 0, 0, 1], [0xa0, 201, 0, 1, 0, 0, 0, 99], [0x81, 202, 0, 2, 0, 0, 0, 1, 1, 200, 0, 0],
      ]
      for bytes in compounds {
        var camera = ScriptedCamera()
        camera.start()
        camera.send(bytes, channel: 1)
        camera.video(3)
        #expect(camera.script.analyze().severities("rtcp.length").contains(.error), "\(bytes.prefix(4))")
      }
    },
  ]

  /// An Ethernet frame of IPv4 in fragments of 1,480 bytes, where it is longer.
  private static func fragments(_ frame: [UInt8]) -> [[UInt8]] {
    guard frame.count > 1514 else { return [frame] }
    let payload = Array(frame[34...])
    return stride(from: 0, to: payload.count, by: 1480).map { start in
      let part = payload[start..<min(start + 1480, payload.count)]
      var head = Array(frame[..<34])
      let length = 20 + part.count
      (head[16], head[17]) = (UInt8(length >> 8), UInt8(length & 255))
      let field = start / 8 | (start + part.count < payload.count ? 0x2000 : 0)
      (head[20], head[21]) = (UInt8(field >> 8), UInt8(field & 255))
      return head + part
    }
  }

  static let timing: [FieldCase] = [
    FieldCase("rtp-ts-hours-jump") { input throws in
      let result = ScriptedCamera.played(input.pieces, every: 2)
      #expect(result.severities("timing.monotonic").contains(.error))
      for away in [90_000 * 20, 90_000 * 3600 * 5, 0x7fff_0000] {
        let packets = (0..<30).map { p($0, 900_000 + $0 * 3600 + ($0 == 15 ? away : 0)) }
        let jump = ScriptedCamera.played(packets)
        #expect(jump.severities("timing.monotonic").first == .error, "\(away)")
        // The timeline goes on from its neighbours.
        #expect(jump.streams.first?.mediaFrameRate.map { abs($0 - 25) < 0.1 } == true, "\(away)")
      }
    },
    FieldCase("rtp-ts-reset-zero") { input throws in
      #expect(ScriptedCamera.played(input.pieces).severities("timing.monotonic") == [.error])
      func reset(from: Int, to: Int) -> [Severity] {
        let packets = (0..<10).map { p($0, ($0 < 5 ? from : to) + $0 * 3600) }
        return ScriptedCamera.played(packets).severities("timing.monotonic")
      }
      #expect(reset(from: 0x4000_0000, to: 0) == [.error])
      // A wrap is none.
      #expect(reset(from: 0xffff_e000, to: 0xffff_e000) == [])
    },
    FieldCase("rtp-fps-lie") { _ throws in
      for (rate, expected) in [
        (21.0, [Severity.warning]), (25.0, []), (24.0, []), (30.0, [.warning]), (12.5, [.warning]),
      ] {
        let packets = (0..<Int(rate * 8)).map { p($0, $0 * 3600) }
        let result = ScriptedCamera.played(packets, every: 1 / rate)
        #expect(result.severities("timing.clock-rate") == expected, "\(rate)")
        #expect(result.streams.first?.frameRate.map { abs($0 - rate) < 0.3 } == true, "\(rate)")
        #expect(result.streams.first?.mediaFrameRate.map { abs($0 - 25) < 0.01 } == true, "\(rate)")
      }
    },
    FieldCase("h264-b-frames") { input throws in
      #expect(
        ScriptedCamera.played(input.pieces) { $0.sdp = withoutFormat($0.sdp) }.severities("timing.monotonic") == [])
      // The description of the camera promises that nothing is reordered.
      #expect(ScriptedCamera.played(input.pieces).severities("timing.monotonic") == [.error])
      let groups = (0..<60).map { index in
        p(index, 900_000 + (index / 3 * 3 + [2, 0, 1][index % 3]) * 3600)
      }
      let result = ScriptedCamera.played(groups) { $0.sdp = withoutFormat($0.sdp) }
      #expect(result.severities("timing.monotonic") == [] && result.severities("timing.clock-rate") == [])
    },
    FieldCase("media-audio-leads-video") { _ throws in
      for lead in [2.0, 3.0, 0.0] {
        var camera = ScriptedCamera(audio: true)
        camera.start()
        let start = camera.script.time
        func ticks(_ rate: Double) -> UInt32 { UInt32(Double(camera.script.time - start) / 1e9 * rate) }
        for index in 0..<250 {
          camera.audioTime = ticks(48_000)
          let packet = ScriptedCamera.Packet(
            payloadType: 97, marker: true, sequence: UInt16(index), timestamp: camera.audioTime, ssrc: camera.audioSSRC,
            payload: [0, 16, 0, 3 << 3, 1, 2, 3])
          camera.send(packet.bytes, channel: 2)
          if Double(index) * 0.02 >= lead {
            camera.videoTime = ticks(90_000)
            for packet in camera.picture(isKey: index % 50 == 0) { camera.send(packet.bytes, channel: 0) }
          }
          if index == 200 {
            for (ssrc, rate, channel) in [(camera.audioSSRC, 48_000.0, 3), (camera.videoSSRC, 90_000, 1)] {
              let report = RTCPPacket.SenderReport(
                ssrc: ssrc, ntp: NTPTime(unixNanoseconds: camera.script.time), rtpTime: ticks(rate), packetCount: 0,
                octetCount: 0)
              camera.send(RTCPPacket.compound([.senderReport(report)]), channel: channel)
            }
          }
          camera.script.wait(0.02)
        }
        let offset = try #require(camera.script.analyze().offsets.first)
        #expect(abs(try #require(offset.offset)) < 0.04, "\(lead)")
        #expect(abs(offset.startGap - lead) < 0.06, "\(lead): \(offset.startGap)")
      }
    },
    FieldCase("media-starts-mid-gop") { _ throws in
      for (pictures, expected) in [(60, [Severity.warning]), (25, []), (140, [.warning])] {
        var camera = ScriptedCamera()
        camera.start()
        camera.video(pictures, gop: 1000) { _, packet in packet.payload.first == 0x41 ? [packet] : [] }
        camera.video(10)
        let result = camera.script.analyze()
        #expect(result.severities("media.decodable") == expected, "\(pictures)")
        if let found = result.findings.first(where: { $0.check == "media.decodable" }) {
          #expect(found.message.contains("s after the first packet"))
        }
      }
    },
  ]

  private static func withoutFormat(_ sdp: String) -> String {
    sdp.split(separator: "\n").filter { !$0.hasPrefix("a=fmtp") }.map { $0 + "\n" }.joined()
  }
}
