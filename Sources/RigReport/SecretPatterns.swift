/// What a secret looks like in text that nobody announced.
enum SecretPatterns {
  private static let marker = Array(Redactor.marker.utf8)

  static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x2D: true  // digits, letters, _ and -
    default: byte >= 0x80
    }
  }

  /// Whether `name` followed by `=` or `:` announces a secret. `key` alone does so only before `=`.
  static func isSecret(name: ArraySlice<UInt8>, before separator: UInt8) -> Bool {
    // However long a name is, its end tells; a limit keeps a long run of letters cheap.
    let word = String(decoding: name.suffix(64), as: UTF8.self).lowercased().filter { $0 != "-" && $0 != "_" }
    if word == "key" || word == "sig" || word == "pass" || word == "pwd" { return separator == 0x3D }
    return ["passphrase", "password", "passwd", "psk", "secret", "token", "apikey", "streamkey", "authorization"]
      .contains {
        word.hasSuffix($0)
      }
  }

  /// Hides `user:password@` in every URL, and the stream key of RTMP URLs.
  static func hideURLs(in bytes: [UInt8], streamKeys: Bool) -> [UInt8] {
    var out: [UInt8] = []
    var copied = 0
    var at = 0
    while at + 2 < bytes.count {
      guard bytes[at] == 0x3A, bytes[at + 1] == 0x2F, bytes[at + 2] == 0x2F else {
        at += 1
        continue
      }
      let start = at + 3
      let end = bytes[start...].firstIndex(where: endsURL) ?? bytes.count
      if let user = userInfoEnd(bytes[start..<end]), !bytes[start..<user].elementsEqual(marker) {
        out += bytes[copied..<start] + marker
        copied = user
      }
      if streamKeys, isRTMP(bytes[..<at]), let key = streamKey(bytes[max(start, copied)..<end]),
        !bytes[key].elementsEqual(marker)
      {
        out += bytes[copied..<key.lowerBound] + marker
        copied = key.upperBound
      }
      at = max(end, start)
    }
    return copied == 0 ? bytes : out + bytes[copied...]
  }

  private static func endsURL(_ byte: UInt8) -> Bool {
    byte <= 0x20 || byte == 0x22 || byte == 0x27 || byte == 0x3C || byte == 0x3E
  }

  /// Where the `@` after the credentials stands. A password may hold a raw `/`: then what follows the first colon is no port.
  private static func userInfoEnd(_ url: ArraySlice<UInt8>) -> Int? {
    let authority = url.prefix { $0 != 0x2F && $0 != 0x3F && $0 != 0x23 }
    if let at = authority.lastIndex(of: 0x40) { return at }
    guard let colon = authority.firstIndex(of: 0x3A), authority.first != 0x5B else { return nil }
    let port = authority[(colon + 1)...]
    return port.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } ? nil : url.lastIndex(of: 0x40)
  }

  private static func isRTMP(_ before: ArraySlice<UInt8>) -> Bool {
    let scheme = String(decoding: before.suffix(5), as: UTF8.self).lowercased()
    return scheme.hasSuffix("rtmp") || scheme.hasSuffix("rtmps")
  }

  private static func streamKey(_ url: ArraySlice<UInt8>) -> Range<Int>? {
    guard let slash = url.lastIndex(of: 0x2F), slash + 1 < url.endIndex else { return nil }
    return slash + 1..<url.endIndex
  }

  /// Hides the value in `passphrase=…`, `password: …`, `"token":"…"`, and the rest of an Authorization line.
  static func hideValues(in bytes: [UInt8]) -> [UInt8] {
    var out: [UInt8] = []
    var copied = 0
    var at = 0
    while at < bytes.count {
      let separator = bytes[at]
      guard separator == 0x3D || separator == 0x3A, let name = name(before: at, in: bytes, from: copied),
        isSecret(name: name, before: separator)
      else {
        at += 1
        continue
      }
      let wholeLine = String(decoding: name, as: UTF8.self).lowercased().hasSuffix("authorization")
      let value = value(after: at, in: bytes, wholeLine: wholeLine)
      if !value.isEmpty, !bytes[value].elementsEqual(marker) {
        out += bytes[copied..<value.lowerBound] + marker
        copied = value.upperBound
      }
      at = max(at + 1, value.upperBound)
    }
    return copied == 0 ? bytes : out + bytes[copied...]
  }

  private static func name(before separator: Int, in bytes: [UInt8], from start: Int) -> ArraySlice<UInt8>? {
    var end = separator
    let floor = max(start, separator - 68)
    while end > floor, separator - end < 2, bytes[end - 1] == 0x20 { end -= 1 }
    if end > floor, bytes[end - 1] == 0x22 || bytes[end - 1] == 0x27 { end -= 1 }
    var begin = end
    while begin > floor, isWord(bytes[begin - 1]) { begin -= 1 }
    return begin < end ? bytes[begin..<end] : nil
  }

  private static func value(after separator: Int, in bytes: [UInt8], wholeLine: Bool) -> Range<Int> {
    var start = separator + 1
    while start < bytes.count, start - separator < 4, bytes[start] == 0x20 { start += 1 }
    guard start < bytes.count else { return start..<start }
    if wholeLine {
      let end = bytes[start...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? bytes.count
      return start..<end
    }
    if bytes[start] == 0x22 || bytes[start] == 0x27 {
      let quote = bytes[start]
      start += 1
      var end = start
      while end < bytes.count, bytes[end] != quote, bytes[end] != 0x0A { end += bytes[end] == 0x5C ? 2 : 1 }
      return start..<min(end, bytes.count)
    }
    var end = start
    // What an earlier pass has hidden belongs to the value; its bracket does not end it.
    if bytes[start...].starts(with: marker) { end += marker.count }
    while end < bytes.count, !endsValue(bytes[end]) { end += 1 }
    return start..<end
  }

  private static func endsValue(_ byte: UInt8) -> Bool {
    switch byte {
    case 0...0x20, 0x22, 0x26, 0x27, 0x29, 0x2C, 0x3B, 0x3C, 0x5D, 0x7D: true  // space " & ' ) , ; < ] }
    default: false
    }
  }
}
