/// Writes pcapng, block by block, without I/O: every method returns the bytes to append to the file.
///
/// Little-endian, nanosecond times. One section; interfaces are numbered in the order of `interface` calls.
public struct PcapngWriter: Sendable {
  /// The interface on which the rig writes its stage marks, as packets with a comment; link type `.user0`.
  public static let rigInterfaceName = "rig"

  public private(set) var interfaceCount = 0

  public init() {}

  /// The section header block: must come first.
  public func sectionHeader(hardware: String? = nil, os: String? = nil, application: String? = nil) -> [UInt8] {
    var body: [UInt8] = []
    append32(PcapngBlock.byteOrderMagic, to: &body)
    append16(1, to: &body)
    append16(0, to: &body)
    append64(UInt64.max, to: &body)
    var options: [UInt8] = []
    for (code, value) in [(UInt16(2), hardware), (3, os), (4, application)] {
      if let value { appendOption(code, Array(value.utf8), to: &options) }
    }
    return block(PcapngBlock.sectionHeader, body + closed(options))
  }

  /// An interface description block; the interface's index is `interfaceCount` before the call.
  /// - Parameter snapLength: bytes; 0 is "no limit".
  public mutating func interface(
    name: String, linkType: LinkType, snapLength: Int = 0, description: String? = nil
  ) -> [UInt8] {
    interfaceCount += 1
    var body: [UInt8] = []
    append16(UInt16(truncatingIfNeeded: linkType.rawValue), to: &body)
    append16(0, to: &body)
    append32(UInt32(clamping: snapLength), to: &body)
    var options: [UInt8] = []
    appendOption(2, Array(name.utf8), to: &options)
    if let description { appendOption(3, Array(description.utf8), to: &options) }
    appendOption(9, [9], to: &options)
    return block(PcapngBlock.interfaceDescription, body + closed(options))
  }

  /// Appends an enhanced packet block without options to a growing buffer: the way for many packets.
  /// - Parameters:
  ///   - time: nanoseconds since 1970 UTC.
  ///   - originalLength: length on the wire.
  public func append(
    packet bytes: RawSpan, interface: Int, time: Int64, originalLength: Int, to out: inout [UInt8]
  ) {
    let count = bytes.byteCount
    let padding = -count & 3
    let total = UInt32(clamping: 32 + count + padding).littleEndian
    let units = UInt64(bitPattern: time)
    let head = (
      PcapngBlock.enhancedPacket.littleEndian, total, UInt32(clamping: interface).littleEndian,
      UInt32(truncatingIfNeeded: units >> 32).littleEndian, UInt32(truncatingIfNeeded: units).littleEndian,
      UInt32(clamping: count).littleEndian, UInt32(clamping: originalLength).littleEndian
    )
    withUnsafeBytes(of: head) { out.append(contentsOf: $0) }
    bytes.withUnsafeBytes { out.append(contentsOf: $0) }
    for _ in 0..<padding { out.append(0) }
    withUnsafeBytes(of: total) { out.append(contentsOf: $0) }
  }

  /// An enhanced packet block.
  /// - Parameters:
  ///   - time: nanoseconds since 1970 UTC.
  ///   - originalLength: length on the wire; `nil`: all of it was captured.
  public func packet(
    interface: Int, time: Int64, bytes: RawSpan, originalLength: Int? = nil, comment: String? = nil
  ) -> [UInt8] {
    let length = originalLength ?? bytes.byteCount
    var out: [UInt8] = []
    append(packet: bytes, interface: interface, time: time, originalLength: length, to: &out)
    guard let comment else { return out }
    // The options go between the bytes and the second copy of the length.
    out.removeLast(4)
    appendOption(1, Array(comment.utf8), to: &out)
    append32(0, to: &out)
    let total = UInt32(clamping: out.count + 4)
    append32(total, to: &out)
    for index in 0..<4 { out[4 + index] = UInt8(truncatingIfNeeded: total >> UInt32(index * 8)) }
    return out
  }

  /// An interface statistics block: what was received, and dropped for want of buffer.
  public func statistics(interface: Int, time: Int64, received: UInt64, dropped: UInt64) -> [UInt8] {
    var body: [UInt8] = []
    append32(UInt32(clamping: interface), to: &body)
    let units = UInt64(bitPattern: time)
    append32(UInt32(truncatingIfNeeded: units >> 32), to: &body)
    append32(UInt32(truncatingIfNeeded: units), to: &body)
    var options: [UInt8] = []
    for (code, value) in [(UInt16(4), received), (5, dropped)] {
      var number: [UInt8] = []
      append64(value, to: &number)
      appendOption(code, number, to: &options)
    }
    return block(PcapngBlock.interfaceStatistics, body + closed(options))
  }

  private func block(_ type: UInt32, _ body: [UInt8]) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(body.count + 12)
    append32(type, to: &out)
    append32(UInt32(clamping: body.count + 12), to: &out)
    out += body
    append32(UInt32(clamping: body.count + 12), to: &out)
    return out
  }

  private func closed(_ options: [UInt8]) -> [UInt8] { options.isEmpty ? [] : options + [0, 0, 0, 0] }

  private func appendOption(_ code: UInt16, _ value: [UInt8], to out: inout [UInt8]) {
    let cut = value.prefix(65_535)
    append16(code, to: &out)
    append16(UInt16(cut.count), to: &out)
    out += cut
    out.append(contentsOf: repeatElement(0, count: (4 - cut.count % 4) % 4))
  }

  private func append16(_ value: UInt16, to out: inout [UInt8]) {
    out.append(UInt8(truncatingIfNeeded: value))
    out.append(UInt8(truncatingIfNeeded: value >> 8))
  }
  private func append32(_ value: UInt32, to out: inout [UInt8]) {
    append16(UInt16(truncatingIfNeeded: value), to: &out)
    append16(UInt16(truncatingIfNeeded: value >> 16), to: &out)
  }
  private func append64(_ value: UInt64, to out: inout [UInt8]) {
    append32(UInt32(truncatingIfNeeded: value), to: &out)
    append32(UInt32(truncatingIfNeeded: value >> 32), to: &out)
  }
}
