import RigChecks
import RigModel
import RigWire
import Testing

/// `h264.mode`, `h265.marker.au-end`, `media.decodable` on parameter sets, `media.quality-factor`.
@Suite struct PacketizationCheckTests {
  private func replaced(_ old: String, _ new: String, h265: Bool = false) -> ScriptedCamera {
    var camera = ScriptedCamera()
    camera.sdp = camera.sdp.split(separator: old, omittingEmptySubsequences: false).joined(separator: new)
    return camera
  }

  private func mode(_ old: String, _ new: String, _ payload: [UInt8]? = nil) -> [Severity] {
    var camera = replaced(old, new)
    camera.start()
    camera.video(10) { number, packet in
      var packet = packet
      if let payload { packet.payload = number == 6 ? payload : [0x41, 0x9a, 1] }
      return [packet]
    }
    return camera.script.analyze().of(H264ModeCheck.self).map(\.severity)
  }

  @Test func modes() {
    // The camera sends a STAP-A and FU-As.
    #expect(mode("packetization-mode=1", "packetization-mode=1") == [])
    #expect(mode("packetization-mode=1", "packetization-mode=0") == [.error, .error])
    #expect(mode("packetization-mode=1;", "") == [.warning, .warning])
    #expect(mode("packetization-mode=1", "packetization-mode=2").contains(.error))
    #expect(mode("packetization-mode=1", "packetization-mode=0", [0x41, 0x9a, 2]) == [])
  }

  @Test(arguments: [25, 26, 27, 29] as [UInt8])
  func interleavedStructures(_ type: UInt8) {
    let payload = [0x60 | type, 0, 1, 0, 2, 0x41, 0x9a]
    #expect(mode("packetization-mode=1", "packetization-mode=1", payload) == [.error])
    var camera = replaced("packetization-mode=1", "packetization-mode=2")
    camera.start()
    camera.video(5) { _, packet in
      var packet = packet
      packet.payload = payload
      return [packet]
    }
    let result = camera.script.analyze()
    #expect(result.of(H264ModeCheck.self).isEmpty)
    #expect(result.of(H264AggregateCheck.self).isEmpty)
  }

  private func h265(_ packets: [(payload: [UInt8], marker: Bool, step: UInt32)], format: String = "") -> AnalysisResult
  {
    var camera = ScriptedCamera()
    camera.sdp = camera.sdp.split(separator: "\n").filter { !$0.hasPrefix("a=fmtp") }
      .map { $0 == "a=rtpmap:96 H264/90000" ? "a=rtpmap:96 H265/90000\n" + format : $0 + "\n" }.joined()
    camera.start()
    for item in packets {
      let packet = ScriptedCamera.Packet(
        payloadType: 96, marker: item.marker, sequence: camera.videoSequence, timestamp: camera.videoTime,
        ssrc: camera.videoSSRC, payload: item.payload)
      camera.send(packet.bytes, channel: 0)
      camera.videoSequence &+= 1
      camera.videoTime &+= item.step
      camera.script.wait(0.02)
    }
    return camera.script.analyze()
  }

  @Test func h265Markers() {
    let slice: [UInt8] = [0x02, 0x01, 9, 9]
    let check = H265MarkerCheck.self
    #expect(h265([(slice, true, 3600), (slice, true, 3600), (slice, true, 3600)]).of(check).isEmpty)
    #expect(
      h265([(slice, true, 3600), (slice, false, 3600), (slice, true, 3600)]).of(check).map(\.severity) == [.error])
    #expect(h265([(slice, true, 0), (slice, true, 3600), (slice, true, 3600)]).of(check).map(\.severity) == [.error])
  }

  @Test func h265KeyFrameWithoutParameterSets() {
    let check = DecodableCheck.self
    let key: [UInt8] = [0x26, 0x01, 9, 9]
    #expect(h265([(key, true, 3600), (key, true, 3600)]).of(check).map(\.severity) == [.error])
    let sets = "a=fmtp:96 sprop-vps=QAEM;sprop-sps=QgEB;sprop-pps=RAHA\n"
    #expect(h265([(key, true, 3600), (key, true, 3600)], format: sets).of(check).isEmpty)
    let band: [([UInt8], Bool, UInt32)] = [
      ([0x42, 1, 1], false, 0), ([0x44, 1, 1], false, 0), (key, true, 3600), (key, true, 3600),
    ]
    #expect(h265(band).of(check).isEmpty)
  }

  /// A baseline SPS of so many macroblocks, without VUI.
  static func sps(width: Int, height: Int) -> [UInt8] {
    var bits = ""
    func exp(_ value: Int) {
      let text = String(value + 1, radix: 2)
      bits += String(repeating: "0", count: text.count - 1) + text
    }
    exp(0)  // seq_parameter_set_id
    exp(0)  // log2_max_frame_num_minus4
    exp(2)  // pic_order_cnt_type
    exp(1)  // max_num_ref_frames
    bits += "0"
    exp(width / 16 - 1)
    exp(height / 16 - 1)
    bits += "110001"  // frame_mbs_only, direct_8x8, no cropping, no VUI; stop bit below
    bits.removeLast()
    bits += "1"
    while bits.count % 8 != 0 { bits += "0" }
    var bytes: [UInt8] = [0x67, 66, 0xc0, 30]
    var rest = Substring(bits)
    while !rest.isEmpty {
      bytes.append(UInt8(rest.prefix(8), radix: 2) ?? 0)
      rest = rest.dropFirst(8)
    }
    return bytes
  }

  @Test func otherSizeInBandThanPromised() throws {
    let promised = Self.sps(width: 1280, height: 720)
    let other = Self.sps(width: 1920, height: 1088)
    #expect(try H264SPS(parsing: promised).width == 1280)
    #expect(try H264SPS(parsing: other).height == 1088)
    func judge(_ sets: [[UInt8]]) -> [Finding] {
      var camera = replaced(ScriptedCamera.sps, Base64Text.encode(promised))
      camera.sdp = camera.sdp.split(separator: "profile-level-id=42c00c;").joined()
      camera.start()
      var key = 0
      camera.video(50) { _, packet in
        guard packet.payload.first == 0x18 else { return [packet] }
        var packet = packet
        let set = sets[min(key, sets.count - 1)]
        key += 1
        packet.payload = [0x18, 0, UInt8(set.count)] + set + [0, 4] + ScriptedCamera.ppsBytes
        return [packet]
      }
      return camera.script.analyze().of(DecodableCheck.self)
    }
    #expect(judge([promised]).isEmpty)
    let found = judge([promised, other])
    #expect(found.map(\.severity) == [.error])
    #expect(found.first?.message.contains("1280x720") == true)
    #expect(found.first?.message.contains("1920x1088") == true)
  }

  @Test func qualityFactors() {
    func judge(_ rows: [(Int, Double)], tolerance: Double = 0) -> [String] {
      QualityFactorCheck.judge(
        rows.map { .init(factor: $0.0, meanBytesPerFrame: $0.1) }, tolerance: tolerance
      ).map(\.message)
    }
    #expect(judge([(1, 900), (2, 700), (3, 700)]) == [])
    #expect(judge([]) == [])
    #expect(judge([(3, 700), (1, 600), (2, 500)]).count == 1)
    #expect(judge([(1, 100), (2, 101)], tolerance: 0.02) == [])
    // The mean of two runs counts; what is no number does not.
    #expect(judge([(1, 100), (2, 50), (2, 140), (3, .nan), (3, .infinity), (4, -1)]) == [])
    #expect(CheckCatalog.infos.contains(QualityFactorCheck.info))
    #expect(!CheckCatalog.wireInfos.contains(QualityFactorCheck.info))
    #expect(
      QualityFactorCheck.judge([.init(factor: 1, meanBytesPerFrame: 1), .init(factor: 2, meanBytesPerFrame: 2)])
        .map(\.severity) == [.policy])
  }
}
