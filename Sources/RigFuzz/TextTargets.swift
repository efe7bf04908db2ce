import RigModel
import RigReport

enum TextTargets {
  /// JSON. What is read and written is read as the same.
  static func json(_ input: UnsafeRawBufferPointer) throws {
    guard let value = try? JSONParser.parse([UInt8](input)[...]) else { return }
    let text = value.text
    let again = try JSONParser.parse(text)
    try require(again == value && again.text == text, "\(text.debugDescription) became \(again.text.debugDescription)")
    try require(!text.unicodeScalars.contains { $0.value < 0x20 }, "a raw control byte in \(text.debugDescription)")
    _ = (value.integer, value.double, value["a"], Decimal3(value.double ?? 0).description)
  }

  /// Text on its way to a terminal, a report and a file name.
  static func text(_ input: UnsafeRawBufferPointer) throws {
    let text = String(decoding: input, as: UTF8.self)
    for columns in [0, 1, 20, 400] {
      let line = TerminalText.line(text, columns: columns)
      try require(TerminalText.columns(line) <= columns, "\(line.debugDescription) takes more than \(columns) columns")
      let hasControls = line.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
      try require(!hasControls, "control characters in \(line.debugDescription)")
    }
    let redactor = Redactor(secrets: ["hunter22"], hidesStreamKeys: true)
    let once = redactor.redact(text)
    try require(redactor.redact(once) == once, "redacted twice: \(once.debugDescription)")
    try require(!once.contains("hunter22"), "a secret is left in \(once.debugDescription)")
    let name = FileName.safe(text)
    let isSafe = name.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF) || "._=,+~-".utf8.contains(byte)
    }
    try require(
      isSafe && !name.isEmpty && name.utf8.count <= FileName.limit + 1 && !name.hasPrefix("."),
      "\(name.debugDescription) is no safe name")
  }
}
