/// Makes any text fit for XML 1.0: escape sequences dropped, code points that XML forbids replaced by U+FFFD,
/// markup escaped, and the length limited.
public enum XMLText {
  /// The most that one text node may take in the file, in bytes after escaping.
  public static let nodeLimit = 1 << 20
  /// The most that one attribute may take, in bytes after escaping.
  public static let attributeLimit = 4096

  /// Text from bytes; each invalid UTF-8 sequence becomes U+FFFD.
  public static func decode(_ bytes: some Collection<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

  /// The text without escape sequences and forbidden code points, not yet escaped. Line ends become LF.
  public static func clean(_ text: String) -> String {
    var out = ""
    var cleaner = Cleaner()
    for scalar in text.unicodeScalars {
      if let kept = cleaner.next(scalar) { out.unicodeScalars.append(kept) }
    }
    return out
  }

  /// Element content. A text over `limit` bytes keeps its head and its tail; `link` names the file that holds it whole.
  /// `>` is always escaped, so `]]>` cannot stand in the result.
  public static func element(_ text: String, limit: Int = nodeLimit, link: String? = nil) -> String {
    if text.utf8.count <= limit, isPlain(text) { return text }
    let whole = escape(text.unicodeScalars[...], limit: limit, in: .element)
    if whole.complete { return whole.text }
    let note = "\n[… the middle is left out here" + (link.map { "; the whole text is in \($0)" } ?? "") + " …]\n"
    let escapedNote = escape(note.unicodeScalars[...], limit: 2048, in: .element).text
    let room = (limit - escapedNote.utf8.count) / 2
    guard room > 64 else { return escape(text.unicodeScalars[...], limit: max(0, limit - 3), in: .element).text + "…" }
    let head = escape(text.unicodeScalars[...], limit: room, in: .element)
    let tail = tail(of: text, limit: room)
    return head.text + escapedNote + tail
  }

  /// An attribute's value, without the quotes. Line breaks and tabs survive as character references.
  public static func attribute(_ text: String, limit: Int = attributeLimit) -> String {
    if text.utf8.count <= limit, isPlain(text) { return text }
    let whole = escape(text.unicodeScalars[...], limit: limit, in: .attribute)
    return whole.complete
      ? whole.text : escape(text.unicodeScalars[...], limit: max(0, limit - 3), in: .attribute).text + "…"
  }

  private enum Place { case element, attribute }

  /// Printable ASCII without markup needs no work; most texts are like that.
  private static func isPlain(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F && $0 != 0x26 && $0 != 0x3C && $0 != 0x3E && $0 != 0x22 }
  }

  /// Escapes from the start until the next scalar would pass `limit` bytes, after leaving out the first `skip` bytes.
  private static func escape(
    _ scalars: Substring.UnicodeScalarView, skip: Int = 0, limit: Int, in place: Place
  ) -> (text: String, length: Int, complete: Bool) {
    var out = ""
    var passed = 0
    var length = 0
    var cleaner = Cleaner()
    for scalar in scalars {
      guard let kept = cleaner.next(scalar) else { continue }
      let reference = reference(for: kept, in: place)
      let size = reference?.utf8.count ?? UTF8.width(kept)
      if passed < skip {
        passed += size
        continue
      }
      if length + size > limit { return (out, length, false) }
      length += size
      if let reference { out += reference } else { out.unicodeScalars.append(kept) }
    }
    return (out, length, true)
  }

  private static func reference(for scalar: Unicode.Scalar, in place: Place) -> String? {
    switch scalar {
    case "&": "&amp;"
    case "<": "&lt;"
    case ">": "&gt;"
    case "\"" where place == .attribute: "&quot;"
    case "\n" where place == .attribute: "&#10;"
    case "\t" where place == .attribute: "&#9;"
    default: nil
    }
  }

  /// The last `limit` escaped bytes, begun at a line break where one is near: half an escape sequence would read as text.
  private static func tail(of text: String, limit: Int) -> String {
    let utf8 = text.utf8
    var start = utf8.index(utf8.endIndex, offsetBy: -min(limit, utf8.count))
    while start < utf8.endIndex, utf8[start] & 0xC0 == 0x80 { start = utf8.index(after: start) }
    if let line = utf8[start...].prefix(1024).firstIndex(of: 0x0A) { start = utf8.index(after: line) }
    let scalars = text.unicodeScalars[start...]
    let measured = escape(scalars, limit: .max, in: .element)
    guard measured.length > limit else { return measured.text }
    return escape(scalars, skip: measured.length - limit, limit: limit, in: .element).text
  }

  /// Drops escape sequences, folds line ends, replaces what XML 1.0 section 2.2 forbids.
  private struct Cleaner {
    private var filter = EscapeFilter()
    private var afterReturn = false

    mutating func next(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
      guard let kept = filter.next(scalar) else { return nil }
      let follows = afterReturn
      afterReturn = kept == "\r"
      switch kept.value {
      case 0x0A: return follows ? nil : kept
      case 0x0D: return "\n"
      case 0x09, 0x20...0x7E: return kept
      // C1 controls are allowed and useless; the last two code points of each plane are no characters.
      case 0..<0x20, 0x7F...0x9F: return "\u{FFFD}"
      case let code where code & 0xFFFE == 0xFFFE: return "\u{FFFD}"
      // Embeddings, overrides and isolates make a viewer show another text than the file holds.
      case 0x202A...0x202E, 0x2066...0x2069: return "\u{FFFD}"
      default: return kept
      }
    }
  }
}
