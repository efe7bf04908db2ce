import RigWire

/// Builds Ethernet frames byte by byte; checksums stay 0.
enum NetFrames {
  static func be16(_ value: Int) -> [UInt8] { [UInt8(value >> 8 & 255), UInt8(value & 255)] }
  static func be32(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
  static let macs: [UInt8] = Array(repeating: 2, count: 12)

  static func udp(_ payload: [UInt8], from: Int = 5000, to: Int = 6000) -> [UInt8] {
    be16(from) + be16(to) + be16(8 + payload.count) + [0, 0] + payload
  }

  static func tcp(
    _ payload: [UInt8], sequence: UInt32, acknowledgment: UInt32 = 0, flags: UInt8 = 0x10, from: Int = 554,
    to: Int = 40_000, options: [UInt8] = []
  ) -> [UInt8] {
    be16(from) + be16(to) + be32(sequence) + be32(acknowledgment) + [UInt8((20 + options.count) / 4) << 4, flags]
      + be16(65_535) + [0, 0, 0, 0] + options + payload
  }

  static func ipv4(
    _ payload: [UInt8], protocol number: UInt8, identification: Int = 1, fragment: Int = 0, total: Int? = nil
  ) -> [UInt8] {
    [0x45, 0] + be16(total ?? 20 + payload.count) + be16(identification) + be16(fragment) + [64, number, 0, 0]
      + [10, 0, 0, 1, 10, 0, 0, 2] + payload
  }

  static func ipv6(_ payload: [UInt8], next: UInt8) -> [UInt8] {
    let address: [UInt8] = [0xfe, 0x80] + Array(repeating: 0, count: 13)
    return [0x60, 0, 0, 0] + be16(payload.count) + [next, 64] + address + [1] + address + [2] + payload
  }

  static func ethernet(_ payload: [UInt8], type: Int = 0x0800) -> [UInt8] { macs + be16(type) + payload }
}
