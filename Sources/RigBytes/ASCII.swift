/// Byte-wise text work for line-oriented protocols.
///
/// It works on UTF-8 bytes rather than characters: in Swift CR LF is one character, and a combining mark would hide
/// the delimiter before it.
public enum ASCII {
  @inlinable public static func lowercased(_ byte: UInt8) -> UInt8 {
    byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
  }
  @inlinable public static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
  @inlinable public static func isLetter(_ byte: UInt8) -> Bool {
    let low = byte | 0x20
    return low >= 0x61 && low <= 0x7A
  }
  /// Space or tab.
  @inlinable public static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
  /// A control character: below 0x20, or DEL.
  @inlinable public static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7F }
  /// A character that RFC 7230 3.2.6 allows in a token.
  @inlinable public static func isToken(_ byte: UInt8) -> Bool {
    if isLetter(byte) || isDigit(byte) { return true }
    switch byte {
    case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E, 0x5F, 0x60, 0x7C, 0x7E: return true
    default: return false
    }
  }

  /// The value of a hexadecimal digit, or `nil`.
  @inlinable public static func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte &- 0x30
    case 0x41...0x46: byte &- 0x37
    case 0x61...0x66: byte &- 0x57
    default: nil
    }
  }

  /// Equality that ignores the case of A–Z only.
  public static func equal(_ a: String, _ b: String) -> Bool {
    a.utf8.count == b.utf8.count && zip(a.utf8, b.utf8).allSatisfy { lowercased($0) == lowercased($1) }
  }

  public static func lowercased(_ text: String) -> String {
    String(decoding: text.utf8.map { lowercased($0) }, as: UTF8.self)
  }

  /// Whether `text` begins with `prefix`, ignoring the case of A–Z.
  public static func hasPrefix(_ text: String, _ prefix: String) -> Bool {
    text.utf8.count >= prefix.utf8.count
      && zip(text.utf8, prefix.utf8).allSatisfy { lowercased($0) == lowercased($1) }
  }

  /// The text of `bytes`; what is not UTF-8 becomes U+FFFD.
  public static func text(_ bytes: some Collection<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

  /// `bytes` without spaces, tabs and carriage returns at either end.
  public static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var rest = bytes
    while let first = rest.first, isBlank(first) || first == 0x0D { rest.removeFirst() }
    while let last = rest.last, isBlank(last) || last == 0x0D { rest.removeLast() }
    return rest
  }

  /// `text` without spaces and tabs at either end.
  public static func trimmed(_ text: some StringProtocol) -> String {
    var rest = Substring(text).utf8
    while let first = rest.first, isBlank(first) { rest.removeFirst() }
    while let last = rest.last, isBlank(last) { rest.removeLast() }
    return String(decoding: rest, as: UTF8.self)
  }

  /// The pieces between `separator` bytes, untrimmed, empty ones included.
  public static func split(_ text: String, on separator: Character) -> [String] {
    guard let byte = separator.asciiValue else { return [text] }
    return text.utf8.split(separator: byte, omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }
  }

  /// The pieces between runs of spaces and tabs, empty ones left out.
  public static func words(_ text: String) -> [String] {
    text.utf8.split(whereSeparator: { isBlank($0) }).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The parts before and after the first `separator`; the second is `nil` where there is none.
  public static func cut(_ text: String, at separator: Character) -> (head: String, tail: String?) {
    guard let byte = separator.asciiValue, let place = text.utf8.firstIndex(of: byte) else { return (text, nil) }
    let after = text.utf8.index(after: place)
    return (
      String(decoding: text.utf8[..<place], as: UTF8.self), String(decoding: text.utf8[after...], as: UTF8.self)
    )
  }

  /// A whole decimal number made of digits only; `nil` for anything else or above `limit`.
  public static func decimal(_ text: some Sequence<UInt8>, limit: UInt64 = .max) -> UInt64? {
    var value: UInt64 = 0
    var digits = 0
    for byte in text {
      guard isDigit(byte) else { return nil }
      let (scaled, over) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) = scaled.addingReportingOverflow(UInt64(byte &- 0x30))
      guard !over, !carry, sum <= limit else { return nil }
      value = sum
      digits &+= 1
    }
    return digits > 0 ? value : nil
  }

  public static func decimal(_ text: String, limit: UInt64 = .max) -> UInt64? { decimal(text.utf8, limit: limit) }

  /// A number of at most 8 hexadecimal digits without a prefix.
  public static func hex32(_ text: String) -> UInt32? {
    guard (1...8).contains(text.utf8.count) else { return nil }
    var value: UInt32 = 0
    for byte in text.utf8 {
      guard let digit = hexValue(byte) else { return nil }
      value = value << 4 | UInt32(digit)
    }
    return value
  }

  /// Bytes as lower-case hexadecimal digits without separators.
  public static func hex(_ bytes: some Sequence<UInt8>) -> String {
    let digits = [UInt8]("0123456789abcdef".utf8)
    var out: [UInt8] = []
    for byte in bytes {
      out.append(digits[Int(byte >> 4)])
      out.append(digits[Int(byte & 15)])
    }
    return text(out)
  }

  /// The bytes of an even number of hexadecimal digits; `nil` for anything else.
  public static func bytes(hex text: String) -> [UInt8]? {
    var out: [UInt8] = []
    var high: UInt8?
    for byte in text.utf8 {
      guard let digit = hexValue(byte) else { return nil }
      if let upper = high {
        out.append(upper << 4 | digit)
        high = nil
      } else {
        high = digit
      }
    }
    return high == nil ? out : nil
  }
}
