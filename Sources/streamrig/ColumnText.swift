import RigReport

/// Text for a terminal of 100 columns.
enum ColumnText {
  static let width = 100

  /// Cleaned, broken at blanks, each line indented; longer than `limit` columns it is cut.
  static func wrap(_ text: String, indent: Int, first: String? = nil, limit: Int = 900) -> String {
    let margin = String(repeating: " ", count: indent)
    var lines: [String] = []
    var line = first ?? margin
    var used = TerminalText.columns(line)
    var isFresh = true
    for word in TerminalText.line(text, columns: limit).split(separator: " ") {
      var rest = String(word)
      while true {
        let size = TerminalText.columns(rest)
        let gap = isFresh ? 0 : 1
        if used + gap + size <= width {
          line += (isFresh ? "" : " ") + rest
          used += gap + size
          isFresh = false
          break
        }
        if isFresh {
          // A word longer than the line.
          let part = head(of: rest, columns: width - used)
          line += part
          rest.removeFirst(part.count)
        }
        lines.append(line)
        line = margin
        used = indent
        isFresh = true
      }
    }
    return (lines + [line]).joined(separator: "\n")
  }

  /// At least one character of `text`.
  private static func head(of text: String, columns: Int) -> String {
    var out = ""
    for character in text {
      if !out.isEmpty, TerminalText.columns(out + String(character)) > columns { break }
      out.append(character)
    }
    return out
  }

  /// Rows with columns as wide as they need to be: the first `left` of them flush left, the others right.
  static func table(_ rows: [[String]], left: Int, indent: Int = 2) -> String {
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in
      rows.map { column < $0.count ? TerminalText.columns($0[column]) : 0 }.max() ?? 0
    }
    return rows.map { row in
      var line = String(repeating: " ", count: indent)
      for (column, cell) in row.enumerated() {
        let space = String(repeating: " ", count: widths[column] - TerminalText.columns(cell))
        line += (column == 0 ? "" : "  ") + (column < left ? cell + space : space + cell)
      }
      while line.hasSuffix(" ") { line.removeLast() }
      return line + "\n"
    }.joined()
  }
}
