import RigReport
import Testing

@Suite struct TextTests {
  @Test(
    "Escape sequences go, text stays",
    arguments: [
      ("\u{1B}[1;31mred\u{1B}[0m", "red"), ("a\u{1B}]0;title\u{7}b", "ab"), ("a\u{1B}]8;;http://x\u{1B}\\b", "ab"),
      ("a\u{9B}2Jb", "ab"), ("a\u{9D}0;t\u{9C}b", "ab"), ("a\u{1B}P1$r\u{1B}\\b", "ab"), ("a\u{1B}(Bb", "ab"),
      ("a\u{1B}cb", "ab"), ("a\u{1B}", "a"), ("a\u{1B}[12", "a"), ("a\u{1B}]0;open\nnext", "a\nnext"),
      ("a\u{1B}[3\u{1B}[1mb", "ab"), ("a\u{1B}\u{1B}[1mb", "ab"), ("a\u{1B}[1\nb", "a\nb"), ("é\u{1B}[mü", "éü"),
      ("a\r\nb\rc\n\nd", "a\nb\nc\n\nd"), ("\u{0}\u{8}\u{7F}\u{85}", "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"),
      ("\u{FFFE}\u{FFFF}\u{1FFFE}", "\u{FFFD}\u{FFFD}\u{FFFD}"),
      ("a\u{202E}b\u{2066}c\u{2069}", "a\u{FFFD}b\u{FFFD}c\u{FFFD}"), ("😀\u{301}", "😀\u{301}"),
    ])
  func clean(text: String, expected: String) { #expect(XMLText.clean(text) == expected) }

  @Test func cuttingKeepsEntitiesWhole() {
    for limit in 200..<260 {
      let text = XMLText.element(String(repeating: "<é😀&", count: 400), limit: limit)
      #expect(text.utf8.count <= limit)
      #expect(throws: Never.self) { try XMLDocument.parse(XMLDeclared("<a>\(text)</a>\n")) }
    }
    for limit in 0..<40 {
      let text = XMLText.attribute(String(repeating: "\"\n", count: 40), limit: limit)
      #expect(text.utf8.count <= max(limit, 3))
      #expect(throws: Never.self) { try XMLDocument.parse(XMLDeclared("<a b=\"\(text)\"/>\n")) }
    }
  }

  private func XMLDeclared(_ text: String) -> String { XMLWriter.declaration + text }

  @Test func aTailDoesNotBeginInsideAnEscapeSequence() {
    let line = "\u{1B}[31mred\u{1B}[0m\n"
    let text = XMLText.element(String(repeating: line, count: 10_000), limit: 5000)
    #expect(!text.contains("[31m") && !text.contains("31mred"))
    #expect(text.contains("left out here"))
  }

  @Test func theWriterClosesOnlyWhatIsOpen() {
    var writer = XMLWriter()
    writer.end()
    writer.begin("a", [("b", "x\n\"<")])
    writer.element("c", escaped: "")
    writer.end()
    writer.end()
    #expect(writer.text == "<a b=\"x&#10;&quot;&lt;\">\n  <c/>\n</a>\n")
  }

  @Test(arguments: [
    ("plain", 10, "plain"), ("a\nb\tc\r\n", 10, "a b c  "), ("\u{1B}[2Jgone", 10, "gone"),
    ("\u{202E}evil\u{2066}\u{200F}", 10, "evil"), ("bell\u{7}", 10, "bell\u{FFFD}"), ("0123456789", 10, "0123456789"),
    ("0123456789a", 10, "012345678…"), ("日本語日本語", 7, "日本語…"), ("日本語", 6, "日本語"), ("日本語", 5, "日本…"),
    ("abc", 0, ""), ("abc", 1, "…"),
    ("e\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}", 3, "e\u{301}\u{301}\u{301}\u{301}"),
  ])
  func terminal(text: String, columns: Int, expected: String) {
    let line = TerminalText.line(text, columns: columns)
    #expect(Array(line.unicodeScalars) == Array(expected.unicodeScalars))
    #expect(TerminalText.columns(line) <= columns)
  }

  @Test(arguments: [
    ("success", "success"), ("a.b_c=1,2+3", "a.b_c=1,2+3"), ("emu-1", "emu-1"),
  ])
  func namesThatAreSafeStay(name: String, expected: String) { #expect(FileName.safe(name) == expected) }

  @Test(arguments: [
    "", ".", "..", "../x", "/etc/passwd", "a/b", "a\\b", ".hidden", "-rf", "a\0b", "a\nb", "con", "COM1.txt", "a~b",
    "x.",
    "success[transport=udp]", "ü", "…", "~", String(repeating: "a", count: 121), String(repeating: "é", count: 500),
    "a\u{202E}b", "~0123456789abcdef",
  ])
  func namesThatAreNotSafeAreChangedAndMarked(name: String) {
    let safe = FileName.safe(name)
    #expect(safe != name && safe.utf8.count <= FileName.limit && !safe.isEmpty)
    #expect(safe.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x2F && $0 != 0x5C && $0 != 0x5B })
    #expect(!safe.hasPrefix(".") && !safe.hasPrefix("-") && safe.contains("~"))
  }

  @Test func differentNamesGiveDifferentFolders() {
    let ids = [
      "a", "a[x=1]", "a[x:1]", "a x=1", "a-x=1", "a-x=1-", String(repeating: "b", count: 200),
      String(repeating: "b", count: 201), "a/b", "a-b",
    ]
    let folders = ids.flatMap { id in
      ["emu-1", "emu 1"].flatMap { device in
        (1...2).map { FileName.caseFolder(caseID: id, device: device, attempt: $0) }
      }
    }
    #expect(Set(folders).count == folders.count)
    #expect(folders.allSatisfy { $0.utf8.count <= FileName.limit })
    #expect(folders[0] == "a@emu-1" && folders[1] == "a@emu-1@2")
  }
}
