/// Makes any text safe to print on a terminal: one line, no control bytes, no text-direction overrides.
public enum TerminalText {
  /// The text on one line, cut to `columns` with `…` at the end. Width counts East Asian and emoji characters as two.
  public static func line(_ text: String, columns: Int = 400) -> String {
    var out = ""
    var width = 0
    var marks = 0
    // Where the text is cut if it proves too long: before the last column.
    var cut = out.endIndex
    var filter = EscapeFilter()
    for scalar in text.unicodeScalars {
      guard let kept = filter.next(scalar).flatMap(printable) else { continue }
      let size = columnWidth(kept)
      // A pile of combining marks takes no column and could go on for ever.
      marks = size == 0 ? marks + 1 : 0
      if marks > 4 { continue }
      if width + size > columns {
        return columns < 1 ? "" : String(out[..<cut]) + "…"
      }
      width += size
      out.unicodeScalars.append(kept)
      if width < columns { cut = out.endIndex }
    }
    return out
  }

  /// Columns that the text takes, escape sequences not counted.
  public static func columns(_ text: String) -> Int {
    var filter = EscapeFilter()
    return text.unicodeScalars.reduce(0) { sum, scalar in sum + (filter.next(scalar).map(columnWidth) ?? 0) }
  }

  private static func printable(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
    switch scalar.value {
    case 0x09, 0x0A, 0x0D, 0x85, 0x2028, 0x2029: " "
    case 0..<0x20, 0x7F...0x9F: "\u{FFFD}"
    // Bidirectional marks, embeddings, overrides and isolates; zero-width space and byte-order mark; tags.
    case 0x061C, 0x200B, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069, 0xFEFF, 0xE0000...0xE007F: nil
    case let code where code & 0xFFFE == 0xFFFE: "\u{FFFD}"
    default: scalar
    }
  }

  private static func columnWidth(_ scalar: Unicode.Scalar) -> Int {
    let code = scalar.value
    if code < 0x300 { return code < 0x20 ? 0 : 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    switch code {
    case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
      0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
      return 2
    default: return 1
    }
  }
}
