/// A routing netlink message as it is written: header, family header, nested attributes (RFC 3549 section 2.2). The
/// kernel's byte order is the machine's.
struct NetlinkRequest {
  // linux/netlink.h, linux/rtnetlink.h, linux/if_link.h
  static let request: UInt16 = 1
  static let acknowledge: UInt16 = 4
  static let replace: UInt16 = 0x100
  static let exclusive: UInt16 = 0x200
  static let create: UInt16 = 0x400
  static let newLink: UInt16 = 16
  static let getLink: UInt16 = 18
  static let newAddress: UInt16 = 20
  static let deleteAddress: UInt16 = 21
  static let deleteLink: UInt16 = 17

  private(set) var bytes: [UInt8] = []

  init(_ type: UInt16, flags: UInt16, sequence: UInt32) {
    append(UInt32(0))
    append(type)
    append(flags | NetlinkRequest.request | NetlinkRequest.acknowledge)
    append(sequence)
    append(UInt32(0))
  }

  /// `struct ifinfomsg`: family, type, index, flags, and which flags change.
  mutating func link(index: UInt32 = 0, flags: UInt32 = 0, change: UInt32 = 0) {
    append(UInt32(0))
    append(index)
    append(flags)
    append(change)
  }

  /// `struct ifaddrmsg` of an IPv4 address.
  mutating func address(prefix: UInt8, index: UInt32) {
    bytes += [2, prefix, 0, 0]
    append(index)
  }

  mutating func attribute(_ type: UInt16, _ value: [UInt8]) {
    append(UInt16(truncatingIfNeeded: value.count + 4))
    append(type)
    bytes += value
    pad()
  }

  mutating func attribute(_ type: UInt16, _ text: String) { attribute(type, Array(text.utf8) + [0]) }

  mutating func attribute(_ type: UInt16, _ value: UInt32) {
    attribute(type, withUnsafeBytes(of: value) { Array($0) })
  }

  mutating func nested(_ type: UInt16, _ body: (inout NetlinkRequest) -> Void) {
    let start = bytes.count
    append(UInt16(0))
    append(type | 0x8000)
    body(&self)
    patch(UInt16(truncatingIfNeeded: bytes.count - start), at: start)
  }

  /// The message with its length filled in.
  func finished() -> [UInt8] {
    var whole = self
    whole.patch(UInt32(truncatingIfNeeded: bytes.count), at: 0)
    return whole.bytes
  }

  mutating func append<I: FixedWidthInteger>(_ value: I) { withUnsafeBytes(of: value) { bytes += $0 } }

  private mutating func patch<I: FixedWidthInteger>(_ value: I, at place: Int) {
    withUnsafeBytes(of: value) { raw in for i in raw.indices { bytes[place + i] = raw[i] } }
  }

  private mutating func pad() { while bytes.count % 4 != 0 { bytes.append(0) } }
}
