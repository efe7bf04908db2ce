extension AddressRule {
  /// The password of the user information in an address (RFC 3986 section 3.2.1), as it stands there and decoded: what
  /// no report may hold. Empty where there is none; the address need not be a good one.
  public static func passwords(in address: String) -> Set<String> {
    let bytes = Array(address.utf8.prefix(longest))
    guard let colon = bytes.firstIndex(of: 0x3A), bytes[colon...].starts(with: "://".utf8) else { return [] }
    let authority = bytes[(colon + 3)...].prefix { ![0x2F, 0x3F, 0x23].contains($0) }
    guard let at = authority.lastIndex(of: 0x40), let parting = authority[..<at].firstIndex(of: 0x3A) else { return [] }
    let password = Array(authority[(parting + 1)..<at])
    guard !password.isEmpty else { return [] }
    return [String(decoding: password, as: UTF8.self), String(decoding: decoded(password), as: UTF8.self)]
  }

  /// RFC 3986 section 2.1. A percent sign without two digits stands for itself.
  private static func decoded(_ text: [UInt8]) -> [UInt8] {
    var out: [UInt8] = []
    var i = 0
    while i < text.count {
      if text[i] == 0x25, i + 2 < text.count, let high = digit(text[i + 1]), let low = digit(text[i + 2]) {
        out.append(high << 4 | low)
        i += 3
      } else {
        out.append(text[i])
        i += 1
      }
    }
    return out
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }
}
