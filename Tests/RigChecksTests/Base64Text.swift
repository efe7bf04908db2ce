/// Base64 for descriptions in tests.
enum Base64Text {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")

  static func encode(_ bytes: [UInt8]) -> String {
    var out = ""
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = (0..<3).map { start + $0 < bytes.count ? Int(bytes[start + $0]) : 0 }
      let value = group[0] << 16 | group[1] << 8 | group[2]
      for place in 0..<4 {
        out.append(start + place - 1 < bytes.count || place < 2 ? alphabet[value >> (18 - 6 * place) & 63] : "=")
      }
    }
    return out
  }
}
