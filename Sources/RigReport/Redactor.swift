/// Takes secrets out of everything that a run prints or writes: exact strings that the rig knows (Wi-Fi passphrase,
/// RTMP key, passwords), and what looks like one (credentials in a URL, `passphrase=…`, an Authorization header).
///
/// `redact(redact(x)) == redact(x)`, so that a report rebuilt from a redacted journal equals the one made while running.
public struct Redactor: Sendable {
  public static let marker = "[redacted]"

  private let secrets: [[UInt8]]
  private let hidesStreamKeys: Bool

  /// - Parameters:
  ///   - secrets: exact strings; empty ones are ignored. One under four bytes is hidden only where it stands alone.
  ///     Their percent-encoded forms are hidden too.
  ///   - hidesStreamKeys: hide the last path element of `rtmp:` and `rtmps:` URLs.
  public init(secrets: [String] = [], hidesStreamKeys: Bool = false) {
    var all: Set<[UInt8]> = []
    // A secret inside the marker itself hides nothing when replaced by the marker, and would never come to an end.
    for secret in secrets where !secret.isEmpty && !Self.marker.contains(secret) {
      all.insert(Array(secret.utf8))
      all.insert(Self.percentEncoded(secret))
    }
    self.secrets = all.sorted { $0.count != $1.count ? $0.count > $1.count : $0.lexicographicallyPrecedes($1) }
    self.hidesStreamKeys = hidesStreamKeys
  }

  /// The text with each secret replaced by the marker. A secret broken up by escape sequences is found as well, and one
  /// that an escape sequence would swallow on a terminal too: a file keeps it.
  public func redact(_ text: String) -> String {
    guard EscapeFilter.mayHoldEscapes(text) else { return hide(text) }
    if let hidden = hideStripped(text) { return hidden }
    let hidden = hide(text)
    // What was hidden just now may end a name or a URL that went on without the escape sequences.
    return hidden == text ? text : hideStripped(hidden) ?? hidden
  }

  /// The text without escape sequences and secrets; `nil` where no secret shows without the sequences.
  private func hideStripped(_ text: String) -> String? {
    let stripped = EscapeFilter.strip(text)
    let hidden = hide(stripped)
    return hidden == stripped ? nil : hidden
  }

  /// What one pass hides can bring out another pattern, such as a last path element; few rounds settle it.
  private func hide(_ text: String) -> String {
    let hasPattern = text.utf8.contains { $0 == 0x3D || $0 == 0x3A }
    if secrets.isEmpty && !hasPattern { return text }
    let original = Array(text.utf8)
    var bytes = original
    for _ in 0..<4 {
      let before = bytes
      bytes = hideSecrets(in: bytes)
      if hasPattern {
        bytes = SecretPatterns.hideURLs(in: bytes, streamKeys: hidesStreamKeys)
        bytes = SecretPatterns.hideValues(in: bytes)
      }
      if bytes == before { break }
    }
    return bytes == original ? text : String(decoding: bytes, as: UTF8.self)
  }

  private func hideSecrets(in bytes: [UInt8]) -> [UInt8] {
    guard !secrets.isEmpty else { return bytes }
    var out: [UInt8] = []
    var at = 0
    var copied = 0
    while at < bytes.count {
      guard let secret = secrets.first(where: { Self.stands($0, in: bytes, at: at) }) else {
        at += 1
        continue
      }
      out += bytes[copied..<at]
      out += Self.marker.utf8
      at += secret.count
      copied = at
    }
    return copied == 0 ? bytes : out + bytes[copied...]
  }

  private static func stands(_ secret: [UInt8], in bytes: [UInt8], at: Int) -> Bool {
    guard bytes[at] == secret[0], secret.count <= bytes.count - at else { return false }
    for i in 1..<max(1, secret.count) where bytes[at + i] != secret[i] { return false }
    guard secret.count < 4 else { return true }
    let end = at + secret.count
    return (at == 0 || !SecretPatterns.isWord(bytes[at - 1]))
      && (end == bytes.count || !SecretPatterns.isWord(bytes[end]))
  }

  private static func percentEncoded(_ text: String) -> [UInt8] {
    text.utf8.flatMap { byte -> [UInt8] in
      if byte < 0x80, SecretPatterns.isWord(byte) || byte == 0x2E || byte == 0x7E { return [byte] }
      let hex = String(byte, radix: 16, uppercase: true)
      return Array(("%" + (hex.utf8.count < 2 ? "0" : "") + hex).utf8)
    }
  }

  /// Whether a value under this name is a secret whatever it holds: `hotspot.passphrase`, `streamKey`.
  public static func isSecretName(_ name: String) -> Bool {
    SecretPatterns.isSecret(name: Array(name.utf8).suffix(while: SecretPatterns.isWord)[...], before: 0x3A)
  }
}

extension Array where Element == UInt8 {
  fileprivate func suffix(while holds: (UInt8) -> Bool) -> [UInt8] {
    Array(reversed().prefix(while: holds).reversed())
  }
}
