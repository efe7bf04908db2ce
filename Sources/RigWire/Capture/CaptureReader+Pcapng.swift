/// The byte order of a section; it may differ from section to section.
struct PcapngSection: Sendable {
  var little = true
}

/// pcapng blocks (draft-ietf-opsawg-pcapng): type, total length, body, total length again.
enum PcapngBlock {
  static let sectionHeader: UInt32 = 0x0a0d_0d0a
  static let interfaceDescription: UInt32 = 1
  static let obsoletePacket: UInt32 = 2
  static let simplePacket: UInt32 = 3
  static let interfaceStatistics: UInt32 = 5
  static let enhancedPacket: UInt32 = 6
  static let byteOrderMagic: UInt32 = 0x1a2b_3c4d
}

extension CaptureReader {
  enum BlockResult {
    case needMore
    case skipped
    case packet(CapturedPacket)
  }

  mutating func nextBlock() throws(CaptureError) -> BlockResult {
    guard available >= 12 else { return .needMore }
    var type = read32(at: 0, little: section.little)
    if read32(at: 0, little: true) == PcapngBlock.sectionHeader {
      type = PcapngBlock.sectionHeader
      // The byte order stands behind the length that it is needed for.
      if read32(at: 8, little: true) == PcapngBlock.byteOrderMagic {
        section.little = true
      } else if read32(at: 8, little: false) == PcapngBlock.byteOrderMagic {
        section.little = false
      } else {
        throw CaptureError(.notACapture, at: fileOffset)
      }
    }
    let little = section.little
    let total = Int(read32(at: 4, little: little))
    guard total >= 12, total % 4 == 0, total <= Self.recordLimit else {
      throw CaptureError(.badLength(UInt64(total)), at: fileOffset)
    }
    guard available >= total else { return .needMore }
    guard read32(at: total - 4, little: little) == UInt32(total) else {
      throw CaptureError(.badLength(UInt64(read32(at: total - 4, little: little))), at: fileOffset)
    }
    defer { position += total }
    switch type {
    case PcapngBlock.sectionHeader: try beginSection(total)
    case PcapngBlock.interfaceDescription: try describeInterface(total)
    case PcapngBlock.interfaceStatistics: readStatistics(total)
    case PcapngBlock.enhancedPacket: return .packet(try enhancedPacket(total))
    case PcapngBlock.simplePacket: return .packet(try simplePacket(total))
    case PcapngBlock.obsoletePacket: return .packet(try obsoletePacket(total))
    default: break
    }
    return .skipped
  }

  private mutating func beginSection(_ total: Int) throws(CaptureError) {
    guard total >= 28 else { throw CaptureError(.badLength(UInt64(total)), at: fileOffset) }
    let major = Int(read16(at: 12, little: section.little))
    guard major == 1 else {
      let minor = Int(read16(at: 14, little: section.little))
      throw CaptureError(.unsupportedVersion(major: major, minor: minor), at: fileOffset)
    }
    interfaces = []
  }

  private mutating func describeInterface(_ total: Int) throws(CaptureError) {
    guard total >= 20 else { throw CaptureError(.badLength(UInt64(total)), at: fileOffset) }
    var interface = CaptureInterface(
      linkType: LinkType(rawValue: UInt32(read16(at: 8, little: section.little))),
      snapLength: Int(read32(at: 12, little: section.little)), unitsPerSecond: 1_000_000)
    forEachOption(from: 16, to: total - 4) { code, value in
      switch code {
      case 2: interface.name = text(value)
      case 3: interface.description = text(value)
      case 9 where value.count >= 1: interface.unitsPerSecond = unitsPerSecond(buffer[value.lowerBound])
      case 14 where value.count >= 8:
        interface.timeOffset = Int64(bitPattern: read64(at: value.lowerBound - position))
      default: break
      }
    }
    // A file must not make the list of interfaces grow without end.
    if interfaces.count < 65_536 { interfaces.append(interface) }
  }

  /// `if_tsresol`: a negative power of ten, or of two where the top bit is set.
  private func unitsPerSecond(_ code: UInt8) -> UInt64 {
    let exponent = UInt64(code & 0x7f)
    if code & 0x80 != 0 { return exponent < 63 ? 1 << exponent : 1 << 62 }
    var units: UInt64 = 1
    for _ in 0..<min(exponent, 19) { units &*= 10 }
    return units
  }

  private mutating func readStatistics(_ total: Int) {
    guard total >= 24 else { return }
    let index = Int(read32(at: 8, little: section.little))
    guard interfaces.indices.contains(index) else { return }
    var received: UInt64?
    var dropped: UInt64?
    forEachOption(from: 20, to: total - 4) { code, value in
      guard value.count >= 8 else { return }
      let number = read64(at: value.lowerBound - position)
      if code == 4 { received = number }
      if code == 5 || code == 7 { dropped = (dropped ?? 0) &+ number }
    }
    if let received { interfaces[index].received = received }
    if let dropped {
      // A later block of the same interface replaces the earlier one.
      let before = interfaces[index].dropped ?? 0
      interfaces[index].dropped = dropped
      reportedDrops = (reportedDrops ?? 0) &- before &+ dropped
    }
  }

  private mutating func enhancedPacket(_ total: Int) throws(CaptureError) -> CapturedPacket {
    guard total >= 32 else { throw CaptureError(.badLength(UInt64(total)), at: fileOffset) }
    let little = section.little
    return try packet(
      interface: Int(read32(at: 8, little: little)), units: readTime(at: 12),
      captured: Int(read32(at: 20, little: little)), original: Int(read32(at: 24, little: little)), data: 28,
      total: total)
  }

  private mutating func obsoletePacket(_ total: Int) throws(CaptureError) -> CapturedPacket {
    guard total >= 32 else { throw CaptureError(.badLength(UInt64(total)), at: fileOffset) }
    let little = section.little
    return try packet(
      interface: Int(read16(at: 8, little: little)), units: readTime(at: 12),
      captured: Int(read32(at: 20, little: little)), original: Int(read32(at: 24, little: little)), data: 28,
      total: total)
  }

  private mutating func simplePacket(_ total: Int) throws(CaptureError) -> CapturedPacket {
    guard total >= 16 else { throw CaptureError(.badLength(UInt64(total)), at: fileOffset) }
    let original = Int(read32(at: 8, little: section.little))
    let snap = interfaces.first?.snapLength ?? 0
    let captured = min(original, total - 16, snap == 0 ? .max : snap)
    return try packet(interface: 0, units: nil, captured: captured, original: original, data: 12, total: total)
  }

  private mutating func packet(
    interface index: Int, units: UInt64?, captured: Int, original: Int, data: Int, total: Int
  ) throws(CaptureError) -> CapturedPacket {
    guard interfaces.indices.contains(index) else {
      throw CaptureError(.unknownInterface(index), at: fileOffset)
    }
    guard captured <= total - data - 4 else { throw CaptureError(.badLength(UInt64(captured)), at: fileOffset) }
    packetCount += 1
    var comment: String?
    let optionsStart = data + (captured + 3) / 4 * 4
    if optionsStart < total - 4 {
      forEachOption(from: optionsStart, to: total - 4) { code, value in
        if code == 1, comment == nil { comment = text(value) }
      }
    }
    return CapturedPacket(
      number: packetCount, time: units.map { interfaces[index].nanoseconds($0) } ?? 0,
      range: position + data..<position + data + captured, originalLength: original,
      linkType: interfaces[index].linkType, interface: index, comment: comment, fileOffset: fileOffset)
  }

  /// The two halves of a time, the high one first whatever the byte order.
  private func readTime(at offset: Int) -> UInt64 {
    UInt64(read32(at: offset, little: section.little)) << 32 | UInt64(read32(at: offset + 4, little: section.little))
  }

  private func read64(at offset: Int) -> UInt64 {
    let first = UInt64(read32(at: offset, little: section.little))
    let second = UInt64(read32(at: offset + 4, little: section.little))
    return section.little ? second << 32 | first : first << 32 | second
  }

  /// Calls `body` with each option's code and the place of its value in the buffer; stops at nonsense.
  private func forEachOption(from start: Int, to end: Int, _ body: (UInt16, Range<Int>) -> Void) {
    var at = start
    while at + 4 <= end {
      let code = read16(at: at, little: section.little)
      let length = Int(read16(at: at + 2, little: section.little))
      guard code != 0, at + 4 + length <= end else { return }
      body(code, position + at + 4..<position + at + 4 + length)
      at += 4 + (length + 3) / 4 * 4
    }
  }

  private func text(_ range: Range<Int>) -> String {
    var bytes = buffer[range]
    while bytes.last == 0 { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }
}
