import RigBytes
import RigChecks
import RigModel
import RigWire
import Testing

extension FieldCase {
  private static func units(_ payloads: [[UInt8]], lostBefore: Set<Int> = [], step: UInt32 = 0) -> [NALEvent] {
    var depacketizer = H264Depacketizer()
    return payloads.enumerated().flatMap {
      depacketizer.receive($0.element, timestamp: UInt32($0.offset) * step, lostBefore: lostBefore.contains($0.offset))
    } + depacketizer.finish()
  }
  private static func body(_ packet: [UInt8]) -> [UInt8] { Array(packet.dropFirst(12)) }
  private static func sizes(_ events: [NALEvent]) -> [Int] {
    events.compactMap { if case .unit(let unit) = $0, unit.isComplete { unit.size } else { nil } }
  }

  static let payload: [FieldCase] = [
    FieldCase("rtp-marker-per-nal") { input throws in
      let result = ScriptedCamera.played(input.pieces)
      #expect(result.findings.first { $0.check == "h264.marker.au-end" }?.count == 2)
      #expect(result.severities("h264.marker.au-end") == [.error])
      // By timestamp it is one picture all the same.
      #expect(result.streams.first?.frames == 1)
      let slices = (0..<12).map { fieldPacket($0, $0 / 3 * 3600, [0x41, 0x9a]) }
      #expect(ScriptedCamera.played(slices).streams.first?.frames == 4)
      let good = (0..<12).map { fieldPacket($0, $0 / 3 * 3600, marker: $0 % 3 == 2, [0x41, 0x9a]) }
      #expect(ScriptedCamera.played(good).severities("h264.marker.au-end") == [])
      let never = (0..<12).map { fieldPacket($0, $0 / 3 * 3600, marker: false, [0x41, 0x9a]) }
      #expect(ScriptedCamera.played(never).severities("h264.marker.au-end") == [.error])
    },
    FieldCase("rtp-ts-of-previous-au") { input throws in
      let result = ScriptedCamera.played(input.pieces) {
        $0.sdp = $0.sdp.replacing(",\(ScriptedCamera.pps)", with: "").replacing(
          "sprop-parameter-sets=\(ScriptedCamera.sps)", with: "")
      }
      #expect(result.severities("h264.marker.au-end").contains(.error))
      // The sets count for the key picture behind them.
      #expect(result.severities("media.decodable") == [])
      #expect(result.streams.first?.keyFrames == 1)
    },
    FieldCase("h264-fua-single") { input throws in
      let events = units([body(input.bytes)])
      #expect(events.contains(.problem(.fuSinglePacket)))
      #expect(events.contains { if case .unit(let unit) = $0 { unit.type == 1 && unit.size == 3 } else { false } })
      for header in [UInt8(0xc1), 0xc5, 0xff] {
        let packets = [input.bytes, fieldPacket(2, 3600, [0x5c, header, 1, 2])]
        #expect(ScriptedCamera.played(packets).findings.first { $0.check == "h264.fu" }?.count == 2, "\(header)")
      }
    },
    FieldCase("h264-fua-lost-middle") { input throws in
      let result = ScriptedCamera.played(input.pieces)
      #expect(result.streams.first?.lost == 1)
      #expect(result.severities("h264.fu") == [])
      let events = units(input.pieces.map(body), lostBefore: [1])
      #expect(sizes(events) == [2])
      // The first, the last and two of four lost: the next unit is good.
      let fragments: [[UInt8]] = [
        [0x7c, 0x85, 1], [0x7c, 0x05, 2], [0x7c, 0x05, 3], [0x7c, 0x45, 4], [0x41, 0x9a],
      ]
      for lost in [[0], [3], [1, 2], [0, 1, 2]] {
        let kept = fragments.indices.filter { !lost.contains($0) }
        let packets = kept.map {
          fieldPacket($0, $0 < 4 ? 900_000 : 903_600, marker: $0 >= 3, fragments[$0])
        }
        let first = fieldPacket(65_535, 896_400, [0x41, 0x9a])
        let damaged = ScriptedCamera.played([first] + packets)
        #expect(damaged.severities("h264.fu") == [], "\(lost)")
        #expect(damaged.streams.first?.lost == lost.count, "\(lost)")
        let after = units(
          kept.map { fragments[$0] }, lostBefore: Set(kept.indices.filter { $0 > 0 && kept[$0] != kept[$0 - 1] + 1 }))
        #expect(sizes(after) == [2], "\(lost)")
      }
    },
    FieldCase("h264-annexb-in-fua") { input throws in
      #expect(ScriptedCamera.played(input.pieces).severities("h264.no-startcode") == [.error])
      #expect(H264Packetizer.units(annexB: Array(input.pieces[0].dropFirst(12))).count == 2)
      for payload in [
        [0x67, 0x42, 0, 0, 1, 0x68], [0x65, 0, 0, 0, 1, 0x68], [0, 0, 0, 1, 0x67], [0x41, 1, 2, 0, 0, 1],
      ] as [[UInt8]] {
        #expect(
          ScriptedCamera.played([fieldPacket(1, 0, payload)]).severities("h264.no-startcode") == [.error], "\(payload)")
      }
      for payload in [[0x65, 0, 0, 3, 1], [0x65, 0, 1, 0, 0], [0x65, 0, 0]] as [[UInt8]] {
        #expect(ScriptedCamera.played([fieldPacket(1, 0, payload)]).severities("h264.no-startcode") == [], "\(payload)")
      }
    },
    FieldCase("h264-sps-trailing-bytes") { _ throws in
      let sps = PacketizationCheckTests.sps(width: 640, height: 480)
      for tail in [[0x80, 0, 0], [0x80], [1, 2, 3, 4]] as [[UInt8]] {
        let parsed = try H264SPS(parsing: sps + tail)
        #expect(parsed.width == 640 && parsed.trailingBytes == tail.count, "\(tail)")
        let camera = ScriptedCamera.edited {
          $0.replacing(ScriptedCamera.sps, with: Base64Text.encode(sps + tail)).replacing(
            "profile-level-id=42c00c;", with: "")
        }
        #expect(ScriptedCamera.described(camera.sdp).severities("sdp.h264.sprop") == [.warning])
      }
      #expect(try H264SPS(parsing: sps).trailingBytes == 0)
    },
    FieldCase("h264-no-inband-ps", elsewhere: "the fault is the emulator's to produce; decoding is the media helper's")
    { _ in
      for keeps in [true, false] {
        var camera = ScriptedCamera.edited { sdp in
          keeps ? sdp : sdp.split(separator: "\n").filter { !$0.hasPrefix("a=fmtp") }.map { $0 + "\n" }.joined()
        }
        camera.start()
        camera.video(60) { _, packet in packet.payload.first == 0x18 ? [] : [packet] }
        #expect(camera.script.analyze().severities("media.decodable") == (keeps ? [] : [.error]))
      }
    },
    FieldCase("aac-adts-in-rtp") { input throws in
      for header in [[0xff, 0xf1], [0xff, 0xf9], [0xff, 0xf0]] as [[UInt8]] {
        let packet = Array(input.bytes[..<12]) + header + input.bytes[14...]
        let result = ScriptedCamera.played([packet], audio: true)
        let found = result.findings.first { $0.check == "aac.au-headers" }
        #expect(found?.count == 1 && found?.message.contains("ADTS") == true, "\(header)")
      }
      #expect(AACPayload(parsing: body(input.bytes), sizes: .highBitRate).problems.contains(.adtsInsteadOfHeaders))
    },
    FieldCase("aac-multi-au") { input throws in
      let parsed = AACPayload(parsing: body(input.bytes), sizes: .highBitRate)
      #expect(parsed.units.map(\.size) == [2, 3] && parsed.problems.isEmpty)
      // Each AU is 1,024 samples after the one before it.
      #expect(parsed.units.map(\.index) == [0, 0])
      #expect(ScriptedCamera.played([input.bytes], audio: true).severities("aac.au-headers") == [])
      for count in [1, 4, 20] {
        let frames = (0..<count).map { [UInt8](repeating: UInt8($0), count: 5 + $0) }
        let payload = try #require(AACPayload.packetize(frames))
        #expect(AACPayload(parsing: payload, sizes: .highBitRate).units.map(\.size) == frames.map(\.count))
        let packet = Array(input.bytes[..<12]) + payload
        #expect(ScriptedCamera.played([packet], audio: true).severities("aac.au-headers") == [], "\(count)")
        if count > 1 {
          #expect(ScriptedCamera.played([packet.dropLast()], audio: true).severities("aac.au-headers") == [.error])
        }
      }
    },
    FieldCase("media-sps-change") { _ throws in
      let promised = PacketizationCheckTests.sps(width: 1280, height: 720)
      for (width, height, changes) in [(1920, 1088, true), (1280, 736, true), (1280, 720, false)] {
        let other = PacketizationCheckTests.sps(width: width, height: height)
        let aggregate: [UInt8] = [0x18, 0, UInt8(other.count)] + other
        let single = (0..<10).map { index in
          fieldPacket(index, index * 3600, index == 8 ? other : [0x41, 0x9a, 1])
        }
        let aggregated = (0..<10).map { index in
          fieldPacket(index, index * 3600, index == 8 ? aggregate : [0x41, 0x9a])
        }
        for packets in [single, aggregated] {
          let result = ScriptedCamera.played(packets) {
            $0.sdp = $0.sdp.replacing(ScriptedCamera.sps, with: Base64Text.encode(promised))
          }
          let found = result.findings.first { $0.check == "media.decodable" }
          #expect((found != nil) == changes, "\(width)x\(height)")
          if changes {
            #expect(
              found?.message.contains("1280x720") == true && found?.message.contains("\(width)x\(height)") == true)
          }
        }
      }
    },
  ]
}

extension String {
  /// With each occurrence of `old` replaced, without Foundation.
  func replacing(_ old: String, with new: String) -> String {
    split(separator: old, omittingEmptySubsequences: false).joined(separator: new)
  }
}

extension ScriptedCamera {
  static func played(_ packets: [ArraySlice<UInt8>], audio: Bool) -> AnalysisResult {
    played(packets.map { Array($0) }, audio: audio)
  }
}
