import RigModel
import RigPlan
import RigYAML
import Testing

private func parse(_ text: String) -> (node: DocumentNode?, lines: [String]) {
  parse(bytes: Array(text.utf8))
}

private func parse(bytes: [UInt8]) -> (node: DocumentNode?, lines: [String]) {
  let (node, diagnostics) = YAMLDocument.parse(bytes: bytes, file: "f.yaml")
  return (node, diagnostics.map(\.description))
}

@Suite struct TreeTests {
  @Test func everyNodeKnowsItsPlace() throws {
    let (node, lines) = parse("# comment\nplan: x\nlist:\n  - é: \"q\"\n  - {a: off, b: }\n")
    #expect(lines == [])
    let root = try #require(node)
    #expect(root.position == SourcePosition(file: "f.yaml", line: 2, column: 1))
    #expect(
      root["plan"] == DocumentNode(.scalar(text: "x", quoted: false), at: .init(file: "f.yaml", line: 2, column: 7)))
    guard case .sequence(let items)? = root["list"]?.value else {
      Issue.record("no list")
      return
    }
    // Columns count characters, not bytes.
    #expect(items[0]["é"]?.position == SourcePosition(file: "f.yaml", line: 4, column: 8))
    #expect(items[0]["é"]?.value == .scalar(text: "q", quoted: true))
    #expect(items[1]["a"]?.value == .scalar(text: "off", quoted: false))
    #expect(items[1]["b"]?.value == .scalar(text: "", quoted: false))
    guard case .mapping(let entries) = items[1].value else {
      Issue.record("no mapping")
      return
    }
    #expect(entries[1].keyPosition == SourcePosition(file: "f.yaml", line: 5, column: 14))
  }

  @Test func scalarsStayText() {
    for word in ["off", "yes", "null", "0x10", "1e3", "2027-01-31", "~", "012"] {
      #expect(parse("k: \(word)").node?["k"]?.text == word)
    }
    #expect(parse("k: |\n  a\n  b\n").node?["k"]?.value == .scalar(text: "a\nb\n", quoted: true))
    #expect(parse("k: \"a\\0b\"").node?["k"]?.text == "a\0b")
  }

  @Test func byteOrderMarkAndCRLFDoNotShiftPlaces() throws {
    let (node, lines) = parse("\u{FEFF}a: 1\r\nb: 2\r\n")
    #expect(lines == [])
    #expect(node?["a"]?.position.column == 4)
    #expect(node?["b"]?.position == SourcePosition(file: "f.yaml", line: 2, column: 4))
  }
}

@Suite struct RefusalTests {
  @Test func duplicateKeysAreAllReportedAndTheFirstStays() {
    let (node, lines) = parse("a: 1\nb: {c: 1, c: 2, c: 3}\na: 2\n")
    #expect(
      lines == [
        "f.yaml:2:11: b.c: is a duplicate key, expected each key once; the first is on line 2",
        "f.yaml:2:17: b.c: is a duplicate key, expected each key once; the first is on line 2",
        "f.yaml:3:1: a: is a duplicate key, expected each key once; the first is on line 1",
      ])
    #expect(node?["a"]?.text == "1")
    #expect(node?["b"]?["c"]?.text == "1")
  }

  @Test func quotedAndPlainSpellingsAreOneKey() {
    #expect(parse("a: 1\n\"a\": 2\n").lines.count == 1)
  }

  @Test func anchorsAliasesAndTagsAreRefusedInOnePass() {
    let (node, lines) = parse("a: &x 1\nb: *x\nc: [!!int 2, *x]\n*x : 3\n")
    #expect(
      lines == [
        "f.yaml:1:4: a: an anchor (&name) is not supported, expected the value alone",
        "f.yaml:2:4: b: an alias (*name) is not supported, expected the value itself; "
          + "text that begins with * needs quotes",
        "f.yaml:3:5: c[0]: a tag (!name) is not supported, expected the value alone; "
          + "text that begins with ! needs quotes",
        "f.yaml:3:14: c[1]: an alias (*name) is not supported, expected the value itself; "
          + "text that begins with * needs quotes",
        "f.yaml:4:1: an alias (*name) is not supported, expected the value itself; "
          + "text that begins with * needs quotes",
      ])
    #expect(node?["b"]?.value == .refused)
  }

  @Test func aliasBombDoesNotExpand() {
    var text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    for level in 1...12 {
      let list = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
      text += "a\(level): &a\(level) [\(list)]\n"
    }
    let (_, lines) = parse(text)
    #expect(lines.count == DiagnosticList.limit + 1)
    // 13 anchors and 120 aliases, of which 100 lines are shown.
    #expect(lines.last?.hasSuffix("33 more errors are not shown") == true)
  }

  @Test func unquotedStarGetsAHint() {
    #expect(
      parse("device: {model: *}\n").lines == [
        "f.yaml:1:18: not valid YAML: did not find expected alphabetic or numeric character while scanning an alias "
          + "that begins at line 1, column 17; text that begins with * needs quotes"
      ])
  }

  @Test func syntaxErrorNamesBothPlaces() {
    #expect(
      parse("a: [b\nc: d\n").lines == [
        "f.yaml:2:2: not valid YAML: did not find expected ',' or ']' while parsing a flow sequence "
          + "that begins at line 1, column 4"
      ])
    // The end of a file without a last line break is on its last line.
    #expect(
      parse("a: [b").lines == [
        "f.yaml:1:6: not valid YAML: did not find expected ',' or ']' while parsing a flow sequence "
          + "that begins at line 1, column 4"
      ])
    #expect(parse("a: b: c").lines == ["f.yaml:1:5: not valid YAML: mapping values are not allowed in this context"])
  }

  @Test func secondDocumentIsRefused() {
    let (node, lines) = parse("a: 1\n---\nb: 2\n")
    #expect(lines == ["f.yaml:2:1: a second document begins, expected one plan in a file"])
    #expect(node?["a"]?.text == "1")
    #expect(parse("---\na: 1\n...\n").lines == [])
  }

  @Test func emptyFileIsRefused() {
    for text in ["", "\n\n", "# only a comment\n", "\u{FEFF}"] {
      let (node, lines) = parse(text)
      #expect(node == nil)
      #expect(lines == ["f.yaml:1:1: the file is empty, expected a plan"])
    }
  }

  @Test func hugeFileIsRefusedBeforeItIsRead() {
    let limit = YAMLDocument.maximumBytes
    let text = "a: \"" + String(repeating: "x", count: limit - 5) + "\""
    #expect(parse(text).lines == [])
    #expect(
      parse(text + "\n").lines == [
        "f.yaml:1:1: the file is larger than 1 MiB, expected a plan of at most 1 MiB"
      ])
  }

  @Test func nestingHasALimit() {
    let deepest = YAMLDocument.maximumDepth
    #expect(
      parse(String(repeating: "[", count: deepest) + String(repeating: "]", count: deepest)).lines == [])
    for opening in ["[", "{", "- ", "? "] {
      let (node, lines) = parse(String(repeating: opening, count: 100_000))
      #expect(node == nil)
      #expect(lines.count == 1)
      #expect(lines[0].hasSuffix(": nested too deeply, expected at most 32 levels of lists and mappings"))
    }
  }

  @Test func tabsAreReportedWhereTheyStand() {
    let (node, lines) = parse("a:\n\t- b\n \tc: d\n")
    #expect(node == nil)
    #expect(lines == ["f.yaml:2:1: a tab, expected spaces", "f.yaml:3:2: a tab, expected spaces"])
    // Elsewhere the rest of the file can still be checked.
    let later = parse("a:\tb\nc: d\nc: e\n")
    #expect(later.node?["a"]?.text == "b")
    #expect(later.lines.count == 2)
    #expect(later.lines.first == "f.yaml:1:3: a tab, expected spaces")
  }

  @Test func directivesAreRefused() {
    #expect(
      parse("%YAML 1.1\n---\na: 1\n").lines == [
        "f.yaml:1:1: a directive (%) is not supported, expected only the plan"
      ])
    #expect(parse("a: 5 %\n").lines == [])
  }

  @Test func keysMustBeWords() {
    let (node, lines) = parse("? [a, b]\n: 1\n{c: d}: 2\ne: 3\n")
    #expect(
      lines == [
        "f.yaml:1:3: a list or mapping stands as a key, expected a word",
        "f.yaml:3:1: a list or mapping stands as a key, expected a word",
      ])
    #expect(node?["e"]?.text == "3")
  }
}

@Suite struct EncodingTests {
  @Test(
    arguments: [
      [0xFF], [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
      [0xF8, 0x88, 0x80, 0x80, 0x80], [0xE2, 0x82], [0xC3],
    ] as [[UInt8]])
  func invalidUTF8IsReportedAtItsCharacter(_ bytes: [UInt8]) {
    let (node, lines) = parse(bytes: Array("a: é\nbé: x".utf8) + bytes)
    #expect(node == nil)
    let hex = String(bytes[0], radix: 16, uppercase: true)
    #expect(lines == ["f.yaml:2:6: the byte 0x\(hex) is not UTF-8, expected a plan in UTF-8"])
  }

  @Test func otherEncodingsAreNotGuessed() {
    let utf16: [UInt8] = [0xFF, 0xFE, 0x61, 0x00, 0x3A, 0x00, 0x20, 0x00, 0x62, 0x00]
    #expect(parse(bytes: utf16).lines == ["f.yaml:1:1: the byte 0xFF is not UTF-8, expected a plan in UTF-8"])
  }

  @Test func controlCharactersAreNamed() {
    let forbidden: [(String, String)] = [
      ("\0", "U+0000"), ("\u{1B}", "U+001B"), ("\u{7F}", "U+007F"), ("\u{85}", "U+0085"), ("\u{2028}", "U+2028"),
      ("\u{FEFF}", "U+FEFF"), ("\r", "U+000D"),
    ]
    for (text, name) in forbidden {
      let (node, lines) = parse("a: b\nc: d\(text)e\n")
      #expect(node == nil)
      #expect(lines == ["f.yaml:2:5: the character \(name) may not stand in a plan, expected plain text"])
    }
  }
}
