/// An IPv4 address as a number.
struct IPv4: Hashable, Sendable, CustomStringConvertible {
  var value: UInt32

  init(_ value: UInt32) { self.value = value }
  init(_ a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8) {
    value = UInt32(a) << 24 | UInt32(b) << 16 | UInt32(c) << 8 | UInt32(d)
  }
  /// Four bytes in network order.
  init?(_ bytes: ArraySlice<UInt8>) {
    guard bytes.count == 4 else { return nil }
    value = bytes.reduce(0) { $0 << 8 | UInt32($1) }
  }
  /// `192.168.42.1`.
  init?(text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let bytes = parts.compactMap { UInt8($0) }
    guard parts.count == 4, bytes.count == 4 else { return nil }
    self.init(bytes[0], bytes[1], bytes[2], bytes[3])
  }

  static let any = IPv4(0)
  static let broadcast = IPv4(.max)

  var bytes: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
  var description: String { bytes.map { "\($0)" }.joined(separator: ".") }
}

extension UInt32 {
  /// `255.255.255.0` for 24.
  static func max(prefix: UInt8) -> UInt32 { prefix == 0 ? 0 : UInt32.max << (32 - UInt32(Swift.min(prefix, 32))) }

  /// The number of leading ones, where nothing but zeros follows.
  var prefixLength: UInt8? {
    let ones = (~self).leadingZeroBitCount
    return self == UInt32.max(prefix: UInt8(ones)) ? UInt8(ones) : nil
  }
}
