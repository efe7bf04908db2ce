import RigModel
import RigBytes
import RigWire
import Testing

/// Feeds whole RTP packets in hexadecimal.
func depacketize(_ packets: String...) throws -> [NALEvent] {
  var depacketizer = H264Depacketizer()
  var tracker = SequenceTracker()
  var events: [NALEvent] = []
  for text in packets {
    let packet = hex(text)
    let header = try RTPHeader(parsing: packet)
    var lost = false
    if case .gap = tracker.receive(header.sequence) { lost = true }
    events += depacketizer.receive(Array(packet[header.payload]), timestamp: header.timestamp, lostBefore: lost)
  }
  return events + depacketizer.finish()
}

extension NALEvent {
  var unit: NALUnit? { if case .unit(let unit) = self { unit } else { nil } }
  var problem: PayloadProblem? { if case .problem(let problem) = self { problem } else { nil } }
}

@Suite struct H264PayloadTests {
  @Test func startAndEndInOneFragment() throws {
    let events = try depacketize("80e00001000000000a0b0c0d5cc19a02")
    #expect(events.map(\.problem) == [.fuSinglePacket, nil])
    #expect(events[1].unit?.head == 0x419A_0200_0000_0000)
    #expect(events[1].unit?.size == 3)
  }

  @Test func middleFragmentLost() throws {
    let events = try depacketize(
      "80600001000000000a0b0c0d7c8501", "80e00003000000000a0b0c0d7c4503", "80e0000400000bb80a0b0c0d419a")
    #expect(events.compactMap(\.problem).isEmpty)
    #expect(events.compactMap(\.unit).map(\.isComplete) == [false, true])
    #expect(events.compactMap(\.unit).map(\.type) == [5, 1])
  }

  @Test func annexBInFragments() throws {
    let events = try depacketize(
      "80600001000000000a0b0c0d7c8742001f0000000168ce000000016588", "80e00002000000000a0b0c0d7c4799")
    #expect(events.compactMap(\.problem) == [.startCode])
    #expect(events.compactMap(\.unit).first?.parameterSet == hex("6742001f"))
  }

  @Test func emptyPayload() throws {
    let events = try depacketize(
      "80600001000000000a0b0c0d419a", "80600002000000000a0b0c0d", "80e00003000000000a0b0c0d419b")
    #expect(events.map(\.problem) == [nil, .emptyPayload, nil])
  }

  @Test func brokenFragments() throws {
    #expect(try depacketize("80600001000000000a0b0c0d7c0501").map(\.problem) == [.fuMissingStart])
    #expect(try depacketize("80600001000000000a0b0c0d7c8501").map(\.problem) == [.fuMissingEnd, nil])
    #expect(
      try depacketize("80600001000000000a0b0c0d7c8501", "80600002000000000a0b0c0d7c8502").compactMap(\.problem)
        == [.fuMissingEnd, .fuMissingEnd])
    #expect(
      try depacketize("80600001000000000a0b0c0d7c8501", "80600002000000000a0b0c0d4101").compactMap(\.problem)
        == [.fuInterrupted(by: 1)])
    #expect(
      try depacketize("80600001000000000a0b0c0d7c8501", "80600002000000000a0b0c0d7c4102").compactMap(\.problem)
        == [.fuTypeChanged])
    #expect(try depacketize("80600001000000000a0b0c0d7c85").map(\.problem) == [.tooShort])
    #expect(try depacketize("80600001000000000a0b0c0d1e85").map(\.problem) == [.reservedType(30)])
    #expect(try depacketize("80600001000000000a0b0c0dc101").map(\.problem) == [.forbiddenBit, nil])
  }

  @Test func aggregates() throws {
    let good = try depacketize("80600001000000000a0b0c0d78 0003 674200 0002 68ce")
    #expect(good.compactMap(\.unit).map(\.parameterSet) == [hex("674200"), hex("68ce")])
    #expect(good.compactMap(\.unit).map(\.carrier) == [.aggregate, .aggregate])
    #expect(try depacketize("80600001000000000a0b0c0d78 0003 6742").map(\.problem) == [.aggregateOverrun])
    #expect(try depacketize("80600001000000000a0b0c0d78").map(\.problem) == [.aggregateEmpty])
    #expect(try depacketize("80600001000000000a0b0c0d78 0000").map(\.problem) == [.aggregateEmpty])
  }

  /// A start code is found wherever fragments cut it.
  @Test func startCodeAcrossFragments() {
    let body = hex("650102 000001 030405")
    for cut in 1..<body.count {
      var depacketizer = H264Depacketizer()
      let head = body[1..<cut]
      guard !head.isEmpty else { continue }
      var events = depacketizer.receive([0x7C, 0x85] + head, timestamp: 0)
      events += depacketizer.receive([0x7C, 0x45] + body[cut...], timestamp: 0)
      #expect(events.compactMap(\.problem) == [.startCode], "cut \(cut)")
    }
    for place in 0..<12 {
      var unit = [UInt8](repeating: 9, count: 16)
      unit[0] = 0x65
      unit.replaceSubrange((place + 1)..<(place + 4), with: [0, 0, 1])
      var depacketizer = H264Depacketizer()
      #expect(depacketizer.receive(unit, timestamp: 0).compactMap(\.problem) == [.startCode], "place \(place)")
    }
  }

  @Test(arguments: [false, true])
  func packetizedComesBack(aggregates: Bool) {
    let unit: [[UInt8]] = [
      hex("6742001f"), hex("68ce"), [0x65] + [UInt8](repeating: 0xAB, count: 5000), [0x41] + [7], [0x41] + [8],
    ]
    let payloads = H264Packetizer(maximumPayload: 1200, aggregates: aggregates).packetize(unit)
    #expect(payloads.allSatisfy { $0.bytes.count <= 1200 })
    #expect(payloads.map(\.marker) == payloads.indices.map { $0 == payloads.count - 1 })
    #expect(payloads.count == (aggregates ? 7 : 9))
    var depacketizer = H264Depacketizer()
    let events = payloads.flatMap { depacketizer.receive($0.bytes, timestamp: 0) }
    #expect(events.compactMap(\.problem).isEmpty)
    #expect(events.compactMap(\.unit).map(\.size) == unit.map(\.count))
    #expect(events.compactMap(\.unit).allSatisfy { $0.isComplete })
    #expect(events.compactMap(\.unit).prefix(2).map(\.parameterSet) == Array(unit[..<2]))
  }

  @Test func annexB() {
    #expect(
      H264Packetizer.units(annexB: hex("00000001 6742 000001 68ce 0000 00000001 6588"))
        == [hex("6742"), hex("68ce"), hex("6588")])
    #expect(H264Packetizer.units(annexB: hex("6742")).isEmpty)
  }

  @Test func mutations() {
    var random = SplitMix64(seed: 17)
    let payloads = H264Packetizer(maximumPayload: 40, aggregates: true)
      .packetize([hex("6742001f"), hex("68ce"), [0x65] + [UInt8](repeating: 0, count: 200)])
    var h264 = H264Depacketizer()
    var h265 = H265Depacketizer(hasDON: true)
    for round in 0..<5000 {
      let bytes = mutated(payloads[round % payloads.count].bytes, &random)
      #expect(h264.receive(bytes, timestamp: 0).count <= bytes.count + 4)
      #expect(h265.receive(bytes, timestamp: 0).count <= bytes.count + 4)
      _ = AACPayload(parsing: bytes, sizes: .highBitRate)
      _ = try? H264SPS(parsing: [0x67] + bytes)
      _ = H264PPS(parsing: [0x68] + bytes)
      _ = H265SPS(parsing: [0x42, 1] + bytes)
      _ = AudioSpecificConfig(parsing: bytes)
    }
  }
}

@Suite struct ParameterSetTests {
  // x264, High 4.0, 1920×1080 with cropping, 30 frames per second in the VUI.
  static let fullHD = hex("67640028acd940780227e5c05a808080a0000003002000000781e30632c0")

  @Test func fullHD() throws {
    let sps = try H264SPS(parsing: Self.fullHD)
    #expect([sps.width, sps.height] == [1920, 1080])
    #expect(sps.profileLevelID == 0x640028)
    #expect(sps.frameRate == 30)
    #expect(sps.maxNumReorderFrames != nil)
    #expect(sps.trailingBytes == 0)
    #expect(!sps.isVUITruncated)
  }

  @Test func trailingBytes() throws {
    let sps = try H264SPS(parsing: Self.fullHD + hex("800000"))
    #expect(sps.width == 1920)
    #expect(sps.trailingBytes == 3)
  }

  @Test func cutOff() throws {
    #expect(throws: H264SPS.Failure.notSPS(type: 8)) { try H264SPS(parsing: hex("68ce3c80")) }
    #expect(throws: H264SPS.Failure.truncated) { try H264SPS(parsing: hex("6742001f")) }
    for length in 0..<Self.fullHD.count {
      if let sps = try? H264SPS(parsing: Array(Self.fullHD.prefix(length))) { #expect(sps.isVUITruncated) }
    }
  }

  @Test func pictureParameterSet() {
    #expect(H264PPS(parsing: hex("68ebe3cb22c0")) == H264PPS(parsing: hex("68e8")))
    #expect(H264PPS(parsing: hex("68ebe3cb22c0"))?.spsID == 0)
    #expect(H264PPS(parsing: Self.fullHD) == nil)
  }

  @Test func h265() throws {
    // x265, Main, level 3.1, 1280×720.
    let sps = try #require(
      H265SPS(parsing: hex("420101016000000300900000030000030 05da00280802d165ba4a4c2f0168080000003008000000f04")))
    #expect([sps.width, sps.height] == [1280, 720])
    #expect(sps.profileIDC == 1)
    #expect(sps.levelIDC == 93)
  }
}

@Suite struct H265PayloadTests {
  @Test func fragmentsAndAggregates() {
    var depacketizer = H265Depacketizer()
    var events = depacketizer.receive(hex("6001 0003 400102 0004 42010101"), timestamp: 0)
    events += depacketizer.receive(hex("6201 93 aabb"), timestamp: 1)
    events += depacketizer.receive(hex("6201 13 cc"), timestamp: 1)
    events += depacketizer.receive(hex("6201 53 dd"), timestamp: 1)
    #expect(events.compactMap(\.problem).isEmpty)
    #expect(events.compactMap(\.unit).map(\.type) == [32, 33, 19])
    #expect(events.last?.unit?.size == 6)
    #expect(events.last?.unit?.head == 0x2601_AABB_CCDD_0000)
    #expect(events.last?.unit?.packets == 3)
  }

  @Test func broken() {
    var depacketizer = H265Depacketizer()
    #expect(depacketizer.receive([], timestamp: 0).map(\.problem) == [.emptyPayload])
    #expect(depacketizer.receive(hex("6201 13 cc"), timestamp: 0).map(\.problem) == [.fuMissingStart])
    #expect(depacketizer.receive(hex("6201 d3 cc"), timestamp: 0).map(\.problem) == [.fuSinglePacket, nil])
    #expect(depacketizer.receive(hex("6001 0009 4001"), timestamp: 0).map(\.problem) == [.aggregateOverrun])
    #expect(depacketizer.receive(hex("6401 00"), timestamp: 0).map(\.problem) == [.reservedType(50)])
  }
}

@Suite struct AACPayloadTests {
  @Test func severalUnits() {
    let payload = AACPayload(parsing: hex("002000100018a1a2b1b2b3"), sizes: .highBitRate)
    #expect(payload.units.map(\.range) == [6..<8, 8..<11])
    #expect(payload.problems.isEmpty)
  }

  @Test func withoutIndexLength() {
    let sizes = AACHeaderSizes(size: 13, index: 0, indexDelta: 0)
    let payload = AACPayload(parsing: hex("000d0020aabbccdd"), sizes: sizes)
    #expect(payload.units == [.init(size: 4, index: 0, range: 4..<8, isFragment: false)])
    #expect(payload.problems.isEmpty)
  }

  @Test(arguments: [
    ("fff1604001bffc21", [AACPayload.Problem.adtsInsteadOfHeaders]), ("", [.emptyPayload]),
    ("00100030fff1604001bf", [.adtsInUnit(0)]), ("0100 0010", [.headersOverrun(256)]),
    ("001500100000aabb", [.headersNotWhole(21), .trailingBytes(1)]),
    ("00200010 0018 a1a2b1", [.unitOverrun(unit: 1, needed: 3, available: 1)]), ("00100008aabb", [.trailingBytes(1)]),
    ("00100000", [.zeroSizedUnit(0)]),
  ])
  func problems(text: String, expected: [AACPayload.Problem]) {
    #expect(AACPayload(parsing: hex(text), sizes: .highBitRate).problems == expected)
  }

  @Test func fragment() {
    let payload = AACPayload(parsing: hex("00100320aabb"), sizes: .highBitRate)
    #expect(payload.units == [.init(size: 100, index: 0, range: 4..<6, isFragment: true)])
  }

  @Test func packetizedComesBack() throws {
    let units = [[UInt8](repeating: 1, count: 200), [2, 3], [UInt8](repeating: 4, count: 8191)]
    let bytes = try #require(AACPayload.packetize(units))
    let payload = AACPayload(parsing: bytes, sizes: .highBitRate)
    #expect(payload.units.map { Array(bytes[$0.range]) } == units)
    #expect(AACPayload.packetize([[UInt8](repeating: 1, count: 8192)]) == nil)
  }

  @Test func config() {
    let plain = AudioSpecificConfig(parsing: hex("1408"))
    #expect(plain?.objectType == 2)
    #expect(plain?.sampleRate == 16000)
    #expect(plain?.channelConfiguration == 1)
    #expect(plain?.frameLength == 1024)
    #expect(AudioSpecificConfig(parsing: [0x17]) == nil)
  }
}
