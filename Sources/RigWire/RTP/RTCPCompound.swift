import RigBytes

/// The packets of one datagram or interleaved frame (RFC 3550 6.1) and what is wrong with them.
public struct RTCPCompound: Hashable, Sendable {
  public struct Entry: Hashable, Sendable {
    public var packet: RTCPPacket
    /// Byte offset of its head.
    public var offset: Int
  }

  public struct Problem: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
      /// Fewer than 4 bytes are left.
      case truncatedHead
      case version(UInt8)
      /// The length field needs `needed` bytes and `available` are there (A.2).
      case lengthOverrun(needed: Int, available: Int)
      /// RC or SC promises more blocks than the length holds: `needed` bytes against `available`.
      case countOverrun(needed: Int, available: Int)
      /// SDES items or a BYE reason that go beyond their packet.
      case itemOverrun
      /// P is set on a packet that is not the last, or the padding count is impossible.
      case padding
      /// The first packet is neither SR nor RR (6.1).
      case firstIsNoReport
      /// No SDES with a CNAME (6.1); reduced-size RTCP (RFC 5506) allows it.
      case noCNAME
    }
    public var kind: Kind
    public var offset: Int
  }

  public var entries: [Entry] = []
  public var problems: [Problem] = []
  public var packets: [RTCPPacket] { entries.map(\.packet) }

  /// Parses what can be parsed; stops at the first packet whose end is not known.
  public init(parsing bytes: RawSpan) {
    var offset = 0
    while offset < bytes.byteCount {
      guard let word = bytes.u32(at: offset) else {
        note(.truncatedHead, offset)
        break
      }
      let version = UInt8(truncatingIfNeeded: word >> 30)
      guard version == 2 else {
        note(.version(version), offset)
        break
      }
      let needed = 4 * (Int(word & 0xFFFF) + 1)
      let available = bytes.byteCount - offset
      if needed > available { note(.lengthOverrun(needed: needed, available: available), offset) }
      var end = offset + min(needed, available)
      if word & 0x2000_0000 != 0 {
        let padding = Int(bytes.u8(at: end - 1) ?? 0)
        if padding == 0 || padding > end - offset - 4 || end < bytes.byteCount {
          note(.padding, offset)
        } else {
          end -= padding
        }
      }
      read(bytes, word, offset, end)
      offset += min(needed, available)
    }
    guard let first = entries.first else { return }
    if first.packet.type != 200, first.packet.type != 201 { note(.firstIsNoReport, first.offset) }
    let hasCNAME = entries.contains { entry in
      if case .sourceDescription(let chunks) = entry.packet { chunks.contains { $0.cname != nil } } else { false }
    }
    if !hasCNAME { note(.noCNAME, 0) }
  }

  public init(parsing bytes: [UInt8]) { self.init(parsing: bytes.span.bytes) }

  private mutating func note(_ kind: Problem.Kind, _ offset: Int) {
    problems.append(Problem(kind: kind, offset: offset))
  }

  private mutating func read(_ bytes: RawSpan, _ word: UInt32, _ offset: Int, _ end: Int) {
    let count = Int(word >> 24) & 31
    let type = UInt8(truncatingIfNeeded: word >> 16)
    let body = bytes.clamped(to: (offset + 4)..<max(end, offset + 4))
    switch type {
    case 200: readSenderReport(body, count, offset)
    case 201:
      guard let ssrc = body.u32(at: 0) else { return note(.countOverrun(needed: 8, available: end - offset), offset) }
      let reports = readReports(body, from: 4, count, offset)
      add(.receiverReport(.init(ssrc: ssrc, reports: reports)), offset)
    case 202: readDescription(body, count, offset)
    case 203: readBye(body, count, offset)
    case 204:
      guard let ssrc = body.u32(at: 0), body.byteCount >= 8 else {
        return note(.countOverrun(needed: 12, available: end - offset), offset)
      }
      let name = ASCII.text(body.clamped(to: 4..<8).array)
      let data = body.clamped(to: 8..<body.byteCount).array
      add(.app(subtype: UInt8(count), ssrc: ssrc, name: name, data: data), offset)
    default: add(.unknown(type: type, count: UInt8(count), body: body.array), offset)
    }
  }

  private mutating func add(_ packet: RTCPPacket, _ offset: Int) {
    entries.append(Entry(packet: packet, offset: offset))
  }

  private mutating func readSenderReport(_ body: RawSpan, _ count: Int, _ offset: Int) {
    guard body.byteCount >= 24, let ssrc = body.u32(at: 0), let ntp = body.u64(at: 4), let time = body.u32(at: 12),
      let packets = body.u32(at: 16), let octets = body.u32(at: 20)
    else { return note(.countOverrun(needed: 28 + 24 * count, available: body.byteCount + 4), offset) }
    let reports = readReports(body, from: 24, count, offset)
    add(
      .senderReport(
        .init(
          ssrc: ssrc, ntp: NTPTime(raw: ntp), rtpTime: time, packetCount: packets, octetCount: octets,
          reports: reports)), offset)
  }

  private mutating func readReports(
    _ body: RawSpan, from start: Int, _ count: Int, _ offset: Int
  ) -> [RTCPPacket.ReportBlock] {
    let needed = start + 24 * count
    if needed > body.byteCount { note(.countOverrun(needed: needed + 4, available: body.byteCount + 4), offset) }
    var blocks: [RTCPPacket.ReportBlock] = []
    for index in 0..<count {
      var reader = ByteReader(body.clamped(to: (start + 24 * index)..<(start + 24 * index + 24)))
      guard let ssrc = reader.u32(), let fraction = reader.u8(), let lost = reader.u24(), let highest = reader.u32(),
        let jitter = reader.u32(), let lastSR = reader.u32(), let delay = reader.u32()
      else { break }
      blocks.append(
        .init(
          ssrc: ssrc, fractionLost: fraction, cumulativeLost: Int32(bitPattern: lost << 8) >> 8,
          highestSequence: highest, jitter: jitter, lastSR: lastSR, delaySinceLastSR: delay))
    }
    return blocks
  }

  private mutating func readDescription(_ body: RawSpan, _ count: Int, _ offset: Int) {
    var chunks: [RTCPPacket.Chunk] = []
    var place = 0
    for _ in 0..<count {
      guard let ssrc = body.u32(at: place) else {
        note(.countOverrun(needed: place + 8, available: body.byteCount + 4), offset)
        break
      }
      place += 4
      var items: [RTCPPacket.Chunk.Item] = []
      while let type = body.u8(at: place), type != 0 {
        guard let length = body.u8(at: place + 1), place + 2 + Int(length) <= body.byteCount else {
          note(.itemOverrun, offset + 4 + place)
          place = body.byteCount
          break
        }
        let text = ASCII.text(body.clamped(to: (place + 2)..<(place + 2 + Int(length))).array)
        items.append(.init(type: type, text: text))
        place += 2 + Int(length)
      }
      // The list ends with a zero byte and fills its 32-bit word.
      place = (place + 4) & ~3
      chunks.append(.init(ssrc: ssrc, items: items))
    }
    add(.sourceDescription(chunks), offset)
  }

  private mutating func readBye(_ body: RawSpan, _ count: Int, _ offset: Int) {
    if 4 * count > body.byteCount { note(.countOverrun(needed: 4 * count + 4, available: body.byteCount + 4), offset) }
    let ssrcs = (0..<count).compactMap { body.u32(at: 4 * $0) }
    var reason: String?
    if let length = body.u8(at: 4 * count) {
      if 4 * count + 1 + Int(length) > body.byteCount { note(.itemOverrun, offset + 4 + 4 * count) }
      reason = ASCII.text(body.clamped(to: (4 * count + 1)..<(4 * count + 1 + Int(length))).array)
    }
    add(.bye(ssrcs: ssrcs, reason: reason), offset)
  }
}
