/// The base64 of RFC 4648 section 4, strict: whole quanta, padding only at the end, zero pad bits, no white space.
public enum Base64 {
  private static let alphabet = [UInt8]("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  public static func encode(_ bytes: some Collection<UInt8>) -> String {
    var out: [UInt8] = []
    out.reserveCapacity((bytes.count / 3 + 1) * 4)
    var group: UInt32 = 0
    var filled = 0
    for byte in bytes {
      group = group << 8 | UInt32(byte)
      filled += 1
      if filled == 3 {
        emit(group, characters: 4, into: &out)
        group = 0
        filled = 0
      }
    }
    if filled > 0 {
      emit(group << (filled == 1 ? 16 : 8), characters: filled + 1, into: &out)
      out.append(contentsOf: repeatElement(0x3D, count: 3 - filled))
    }
    return String(decoding: out, as: UTF8.self)
  }

  private static func emit(_ group: UInt32, characters: Int, into out: inout [UInt8]) {
    for place in 0..<characters {
      out.append(alphabet[Int((group >> UInt32(18 - 6 * place)) & 63)])
    }
  }

  /// The decoded bytes, or `nil` where the text breaks a rule.
  public static func decode(_ text: String) -> [UInt8]? {
    let input = text.utf8
    guard input.count % 4 == 0 else { return nil }
    var out: [UInt8] = []
    out.reserveCapacity(input.count / 4 * 3)
    var group: UInt32 = 0
    var filled = 0
    var padding = 0
    for byte in input {
      if byte == 0x3D {
        // Padding may fill at most the last two places of the last quantum.
        guard filled >= 2 else { return nil }
        padding += 1
        group <<= 6
      } else {
        guard padding == 0, let value = value(of: byte) else { return nil }
        group = group << 6 | UInt32(value)
      }
      filled += 1
      guard filled == 4 else { continue }
      let unused: UInt32 = padding == 0 ? 0 : padding == 1 ? 0xFF : 0xFFFF
      guard group & unused == 0 else { return nil }
      out.append(UInt8(truncatingIfNeeded: group >> 16))
      if padding < 2 { out.append(UInt8(truncatingIfNeeded: group >> 8)) }
      if padding < 1 { out.append(UInt8(truncatingIfNeeded: group)) }
      group = 0
      filled = 0
    }
    return out
  }

  private static func value(of byte: UInt8) -> UInt8? {
    switch byte {
    case 0x41...0x5A: byte &- 0x41
    case 0x61...0x7A: byte &- 0x47
    case 0x30...0x39: byte &+ 4
    case 0x2B: 62
    case 0x2F: 63
    default: nil
    }
  }
}
