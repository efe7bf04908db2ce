/// Base64 (RFC 4648 section 4), with padding.
enum Base64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  static func text(_ bytes: [UInt8]) -> String {
    var out: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let word = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      for i in 0..<4 { out.append(i <= group.count ? alphabet[word >> (18 - 6 * i) & 63] : UInt8(ascii: "=")) }
    }
    return String(decoding: out, as: UTF8.self)
  }

  /// `nil` for anything but whole groups of four.
  static func bytes(_ text: String) -> [UInt8]? {
    let characters = Array(text.utf8)
    guard characters.count % 4 == 0 else { return nil }
    var out: [UInt8] = []
    for start in stride(from: 0, to: characters.count, by: 4) {
      var word = 0
      var padding = 0
      for (i, character) in characters[start..<start + 4].enumerated() {
        if character == UInt8(ascii: "="), i >= 2, start + 4 == characters.count {
          padding += 1
          word <<= 6
        } else if padding == 0, let digit = alphabet.firstIndex(of: character) {
          word = word << 6 | digit
        } else {
          return nil
        }
      }
      for i in 0..<3 - padding { out.append(UInt8(truncatingIfNeeded: word >> (16 - 8 * i))) }
    }
    return out
  }
}

/// Lower-case hexadecimal text.
enum Hex {
  private static let digits = Array("0123456789abcdef".utf8)

  static func text(_ bytes: [UInt8]) -> String {
    String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  static func bytes(_ text: String) -> [UInt8]? {
    let values = text.utf8.map { digits.firstIndex(of: $0) }
    guard values.count % 2 == 0 else { return nil }
    return stride(from: 0, to: values.count, by: 2).reduce(into: [UInt8]?.some([])) { out, i in
      if let high = values[i], let low = values[i + 1] { out?.append(UInt8(high << 4 | low)) } else { out = nil }
    }
  }
}
