/// Appends numbers in network byte order to a growing byte array.
public struct ByteWriter: Sendable {
  public private(set) var bytes: [UInt8]

  @inlinable public var count: Int { bytes.count }

  public init(reserving capacity: Int = 0) {
    bytes = []
    bytes.reserveCapacity(capacity)
  }

  public mutating func u8(_ value: UInt8) { bytes.append(value) }

  public mutating func u16(_ value: UInt16) {
    bytes.append(UInt8(truncatingIfNeeded: value >> 8))
    bytes.append(UInt8(truncatingIfNeeded: value))
  }

  /// The low 24 bits of `value`.
  public mutating func u24(_ value: UInt32) {
    bytes.append(UInt8(truncatingIfNeeded: value >> 16))
    u16(UInt16(truncatingIfNeeded: value))
  }

  public mutating func u32(_ value: UInt32) {
    u16(UInt16(truncatingIfNeeded: value >> 16))
    u16(UInt16(truncatingIfNeeded: value))
  }

  public mutating func u64(_ value: UInt64) {
    u32(UInt32(truncatingIfNeeded: value >> 32))
    u32(UInt32(truncatingIfNeeded: value))
  }

  public mutating func append(_ more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }

  /// The UTF-8 bytes of `text`.
  public mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

  public mutating func zeros(_ count: Int) { bytes.append(contentsOf: repeatElement(0, count: max(0, count))) }

  /// Overwrites two bytes written earlier (a length known only afterwards); nothing happens outside of them.
  public mutating func patch16(_ value: UInt16, at offset: Int) {
    guard offset >= 0, offset <= bytes.count - 2 else { return }
    bytes[offset] = UInt8(truncatingIfNeeded: value >> 8)
    bytes[offset + 1] = UInt8(truncatingIfNeeded: value)
  }
}
