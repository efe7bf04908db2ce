import RigWire

enum PayloadTargets {
  /// Payloads, each after two bytes: bit 15 a new time stamp, bit 14 loss before, 11 bits length.
  private static func payloads(_ input: inout FuzzInput) -> [(bytes: [UInt8], time: UInt32, lostBefore: Bool)] {
    var payloads: [(bytes: [UInt8], time: UInt32, lostBefore: Bool)] = []
    var time: UInt32 = 0
    while !input.isAtEnd {
      let head = input.u16()
      if head & 0x8000 != 0 { time &+= 3600 }
      payloads.append((input.take(head & 0x7FF), time, head & 0x4000 != 0))
    }
    return payloads
  }

  private static func check(_ events: [NALEvent], total: Int) throws -> [NALUnit] {
    let units = events.compactMap { event in if case .unit(let unit) = event { unit } else { nil } }
    for unit in units {
      try require(unit.size >= 0 && unit.size <= total, "a unit of \(unit.size) bytes out of \(total)")
      try require(unit.parameterSet.count <= min(4096, unit.size), "a parameter set larger than its unit")
      try require(unit.headByte(8) == nil && unit.headByte(-1) == nil, "a ninth head byte")
    }
    return units
  }

  static func h264(_ input: UnsafeRawBufferPointer) throws {
    var input = FuzzInput(input)
    let limit = 16 + Int(input.u8())
    let payloads = payloads(&input)
    var depacketizer = H264Depacketizer()
    var events: [NALEvent] = []
    for payload in payloads {
      depacketizer.receive(
        payload.bytes.span.bytes, timestamp: payload.time, lostBefore: payload.lostBefore, into: &events)
      _ = try? H264SPS(parsing: payload.bytes)
      _ = H264PPS(parsing: payload.bytes)
    }
    events += depacketizer.finish()
    // A fragment's unit has one byte that no payload held.
    let total = payloads.reduce(0) { $0 + $1.bytes.count + 1 }
    for unit in try check(events, total: total) where unit.type == 7 {
      if let sps = try? H264SPS(parsing: unit.parameterSet) { _ = (sps.frameRate, sps.profileLevelID) }
    }
    _ = H264Packetizer.units(annexB: payloads.flatMap(\.bytes))
    for aggregates in [false, true] {
      try packetizer(H264Packetizer(maximumPayload: limit, aggregates: aggregates), payloads.map(\.bytes))
    }
  }

  /// What is cut into payloads comes out of them as it was.
  private static func packetizer(_ packetizer: H264Packetizer, _ candidates: [[UInt8]]) throws {
    let units = candidates.filter { (1...23).contains(($0.first ?? 0) & 31) }
    var depacketizer = H264Depacketizer()
    var read: [NALUnit] = []
    for payload in packetizer.packetize(units) {
      try require(payload.bytes.count <= packetizer.maximumPayload, "a payload of \(payload.bytes.count) bytes")
      for case .unit(let unit) in depacketizer.receive(payload.bytes, timestamp: 0) { read.append(unit) }
    }
    try require(depacketizer.finish().isEmpty, "the last unit's end is missing")
    try require(
      read.map(\.size) == units.map(\.count) && read.allSatisfy(\.isComplete)
        && read.map(\.type) == units.map { $0[0] & 31 }, "\(units.map(\.count)) became \(read)")
  }

  static func h265(_ input: UnsafeRawBufferPointer) throws {
    var input = FuzzInput(input)
    let hasDON = input.u8() & 1 != 0
    let payloads = payloads(&input)
    var depacketizer = H265Depacketizer(hasDON: hasDON)
    var events: [NALEvent] = []
    for payload in payloads {
      depacketizer.receive(
        payload.bytes.span.bytes, timestamp: payload.time, lostBefore: payload.lostBefore, into: &events)
      _ = H265SPS(parsing: payload.bytes)
    }
    events += depacketizer.finish()
    let total = payloads.reduce(0) { $0 + $1.bytes.count + 2 }
    for unit in try check(events, total: total) { _ = H265SPS(parsing: unit.parameterSet) }
  }

  static func aac(_ input: UnsafeRawBufferPointer) throws {
    var input = FuzzInput(input)
    // 40 is beyond what the sizes may be.
    let sizes = AACHeaderSizes(
      size: Int(input.u8() % 40), index: Int(input.u8() % 40), indexDelta: Int(input.u8() % 40))
    let payloads = payloads(&input).map(\.bytes)
    for payload in payloads {
      _ = AudioSpecificConfig(parsing: payload)
      for sizes in [sizes, .highBitRate] {
        let parsed = AACPayload(parsing: payload, sizes: sizes)
        var end = 0
        for unit in parsed.units {
          try require(
            unit.range.lowerBound >= end && unit.range.upperBound <= payload.count,
            "\(unit) overlaps another or leaves its \(payload.count) bytes")
          try require(unit.isFragment || unit.range.count == unit.size, "\(unit) is not its size")
          end = unit.range.upperBound
        }
      }
    }
    let frames = payloads.filter { !$0.isEmpty }
    guard let packet = AACPayload.packetize(frames) else { return }
    let again = AACPayload(parsing: packet, sizes: .highBitRate)
    try require(again.units.map { Array(packet[$0.range]) } == frames, "\(frames.map(\.count)) became \(again)")
  }
}
