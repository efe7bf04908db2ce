import RigBytes
import RigWire

enum RTPTarget {
  /// A datagram, read as RTP, as RTCP, and as a row of sequence numbers.
  static func check(_ input: UnsafeRawBufferPointer) throws {
    let bytes = [UInt8](input)
    try header(bytes)
    try compound(bytes)
    try sequence(bytes)
  }

  private static func header(_ bytes: [UInt8]) throws {
    _ = RTPHeader.isRTCP(bytes.span.bytes)
    guard let header = try? RTPHeader(parsing: bytes) else { return }
    for range in [header.payload, header.extensionRange] {
      try require(range.lowerBound >= 12 && range.upperBound <= bytes.count, "\(range) of \(bytes.count) bytes")
    }
    try require(header.csrcs(in: bytes.span.bytes).count <= Int(header.csrcCount), "too many contributing sources")
    let again = try RTPHeader(parsing: header.packet(bytes[header.payload]))
    try require(
      again.sequence == header.sequence && again.timestamp == header.timestamp && again.ssrc == header.ssrc
        && again.marker == header.marker && again.payloadType == header.payloadType
        && again.payload.count == header.payload.count, "\(header) became \(again)")
  }

  private static func compound(_ bytes: [UInt8]) throws {
    let compound = RTCPCompound(parsing: bytes)
    for entry in compound.entries { try require(bytes.indices.contains(entry.offset), "a packet at \(entry.offset)") }
    let isWhole = compound.problems.allSatisfy { $0.kind == .firstIsNoReport || $0.kind == .noCNAME }
    guard isWhole, compound.packets.allSatisfy(isPlain) else { return }
    let again = RTCPCompound(parsing: RTCPPacket.compound(compound.packets))
    try require(again.packets == compound.packets, "\(compound.packets) became \(again.packets)")
  }

  /// Whether writing keeps everything: texts that are UTF-8, data that fill whole words.
  private static func isPlain(_ packet: RTCPPacket) -> Bool {
    func isPlain(_ text: String) -> Bool { !text.unicodeScalars.contains("\u{FFFD}") }
    return switch packet {
    case .senderReport, .receiverReport: true
    case .sourceDescription(let chunks): chunks.allSatisfy { $0.items.allSatisfy { isPlain($0.text) } }
    case .bye(_, let reason): isPlain(reason ?? "")
    case .app(_, _, let name, let data): isPlain(name) && data.count % 4 == 0
    case .unknown(_, _, let body): body.count % 4 == 0
    }
  }

  private static func sequence(_ bytes: [UInt8]) throws {
    var tracker = SequenceTracker()
    var jitter = JitterEstimator(clockRate: UInt32(bytes.first ?? 0) << 12)
    var number: UInt16 = 0
    var fed = 0
    for (index, byte) in bytes.enumerated() {
      // Mostly small steps, at times a far jump.
      number &+= byte < 0xF0 ? UInt16(truncatingIfNeeded: Int(byte) - 0x40) : UInt16(byte & 15) << 12
      _ = tracker.receive(number)
      fed += 1
      jitter.receive(timestamp: UInt32(number) << 16, arrival: Int64(index) << (byte & 63))
      try require(
        tracker.received + tracker.duplicates + tracker.strays == fed,
        "\(tracker.received) + \(tracker.duplicates) + \(tracker.strays) of \(fed)")
      try require(tracker.lost >= 0 && tracker.expected >= tracker.received, "\(tracker.lost) lost")
      try require(jitter.jitter.isFinite && jitter.jitter >= 0, "jitter \(jitter.jitter)")
      _ = jitter.units
    }
    for index in stride(from: 0, to: bytes.count - 8, by: 8) {
      guard let raw = bytes.span.bytes.u64(at: index) else { continue }
      let time = NTPTime(raw: raw)
      try require(time.raw == raw, "NTP time \(raw)")
      _ = (time.unixNanoseconds, time.nanoseconds(since: NTPTime(unixNanoseconds: Int64(bitPattern: raw))))
    }
  }
}
