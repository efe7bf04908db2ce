import RigModel
import RigPlan

/// The bytes of a plan or a rig file, looked over before the parser sees them: UTF-8 throughout, no characters that they may
/// not hold, no tabs, no directives. After this, the parser's lines and columns are those that an editor shows.
struct PlanText {
  /// Without a byte order mark, and with a space for each tab.
  private(set) var bytes: [UInt8]
  private(set) var diagnostics = DiagnosticList()
  /// Whether a tree made of the text would be the one that was meant.
  private(set) var isParsable = true
  /// Just behind the last character.
  private(set) var end: SourcePosition

  private let file: String
  /// What messages call what should stand there.
  let noun: String

  init(bytes: [UInt8], file: String, noun: String) {
    self.file = file
    self.noun = noun
    end = SourcePosition(file: file, line: 1, column: 1)
    self.bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    scan()
  }

  private mutating func scan() {
    var line = 1
    var column = 1
    var isIndentation = true
    var reportedTab = 0
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      let position = { [file] in SourcePosition(file: file, line: line, column: column) }
      let crlf = byte == 0x0D && index + 1 < bytes.count && bytes[index + 1] == 0x0A
      if byte == 0x0A || crlf {
        index += crlf ? 2 : 1
        line += 1
        column = 1
        isIndentation = true
        continue
      }
      if byte == 0x09 {
        if reportedTab != line { diagnostics.add(position(), "a tab, expected spaces") }
        reportedTab = line
        // One space for a tab keeps columns right, but between keys it would change what belongs to what.
        if isIndentation { isParsable = false }
        bytes[index] = 0x20
        index += 1
        column += 1
        continue
      }
      if byte != 0x20 { isIndentation = false }
      if byte == UInt8(ascii: "%"), column == 1 {
        diagnostics.add(position(), "a directive (%) is not supported, expected only the \(noun)")
        // The parser compares each directive with all before it: a file full of them would take it seconds.
        isParsable = false
      }
      if (0x20...0x7E).contains(byte) {
        index += 1
        column += 1
        continue
      }
      guard let (scalar, length) = PlanText.decode(bytes, at: index) else {
        let hex = String(byte, radix: 16, uppercase: true)
        diagnostics.add(
          position(), "the byte 0x\(hex.count < 2 ? "0" : "")\(hex) is not UTF-8, expected a \(noun) in UTF-8")
        // What follows may be any encoding: a column of further errors would say nothing new.
        isParsable = false
        return
      }
      if PlanText.isForbidden(scalar) {
        diagnostics.add(
          position(), "the character \(PrintableText.name(of: scalar)) may not stand in a \(noun), expected plain text")
        isParsable = false
      }
      index += length
      column += 1
    }
    end = SourcePosition(file: file, line: line, column: column)
  }

  /// Controls, and what some readers take for the end of a line.
  private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x00...0x1F, 0x7F...0x9F, 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF: true
    default: false
    }
  }

  /// One scalar by RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF.
  private static func decode(_ bytes: [UInt8], at index: Int) -> (scalar: Unicode.Scalar, length: Int)? {
    let first = bytes[index]
    let length: Int
    let least: UInt32
    var value: UInt32
    switch first {
    case 0x00...0x7F: return (Unicode.Scalar(first), 1)
    case 0xC2...0xDF: (length, least, value) = (2, 0x80, UInt32(first & 0x1F))
    case 0xE0...0xEF: (length, least, value) = (3, 0x800, UInt32(first & 0x0F))
    case 0xF0...0xF4: (length, least, value) = (4, 0x1_0000, UInt32(first & 0x07))
    default: return nil
    }
    guard bytes.count - index >= length else { return nil }
    for offset in 1..<length {
      let byte = bytes[index + offset]
      guard byte & 0xC0 == 0x80 else { return nil }
      value = value << 6 | UInt32(byte & 0x3F)
    }
    guard value >= least, let scalar = Unicode.Scalar(value) else { return nil }
    return (scalar, length)
  }
}
