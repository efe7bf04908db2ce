/// Text from a plan made fit for a terminal and for one line.
public enum PrintableText {
  /// Whether a terminal, or a reader of lines, could be misled by this scalar: C0 and C1 controls, line and paragraph
  /// separators, bidirectional overrides, and marks that are not seen.
  public static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{200B}", "\u{200E}", "\u{200F}", "\u{2028}"..."\u{202E}",
      "\u{2060}"..."\u{2069}", "\u{FEFF}", "\u{FFF9}"..."\u{FFFB}", "\u{E0000}"..."\u{E007F}":
      true
    default: false
    }
  }

  /// Printable ASCII throughout, as nearly all of a plan is.
  private static func isPlain(_ text: String) -> Bool { text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } }

  /// `U+001B`
  public static func name(of scalar: Unicode.Scalar) -> String {
    let hex = String(scalar.value, radix: 16, uppercase: true)
    return "U+" + String(repeating: "0", count: max(0, 4 - hex.count)) + hex
  }

  /// The text with each hidden scalar as `\u{1B}`; everything else as it is.
  public static func escape(_ text: String) -> String {
    if isPlain(text) || !text.unicodeScalars.contains(where: isHidden) { return text }
    var out = ""
    for scalar in text.unicodeScalars {
      if isHidden(scalar) {
        out += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
      } else {
        out.unicodeScalars.append(scalar)
      }
    }
    return out
  }

  /// The text escaped and cut to `limit` scalars, an ellipsis marking the cut.
  public static func cut(_ text: String, to limit: Int = 60) -> String {
    if text.utf8.count <= limit, isPlain(text) { return text }
    let scalars = text.unicodeScalars
    guard let end = scalars.index(scalars.startIndex, offsetBy: limit, limitedBy: scalars.endIndex),
      end != scalars.endIndex
    else { return escape(text) }
    return escape(String(scalars[..<end])) + "…"
  }

  /// The text in double quotes, escaped and cut.
  public static func quote(_ text: String, limit: Int = 60) -> String { "\"" + cut(text, to: limit) + "\"" }
}
