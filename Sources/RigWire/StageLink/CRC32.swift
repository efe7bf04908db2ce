/// CRC-32 as zlib and Ethernet compute it (reflected polynomial 0xEDB88320, initial and final inversion).
public struct CRC32: Sendable {
  private static let table: [UInt32] = (0..<256).map { n in
    (0..<8).reduce(UInt32(n)) { c, _ in c & 1 != 0 ? 0xEDB8_8320 ^ (c >> 1) : c >> 1 }
  }

  public static func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
    ~bytes.reduce(0xFFFF_FFFF as UInt32) { crc, byte in
      table[Int((crc ^ UInt32(byte)) & 0xFF)] ^ (crc >> 8)
    }
  }

  /// Eight lower-case hex digits, as they stand at the end of a record.
  public static func hex(_ value: UInt32) -> [UInt8] {
    let digits = Array("0123456789abcdef".utf8)
    return (0..<8).map { digits[Int(value >> (28 - 4 * UInt32($0)) & 0xF)] }
  }
}
