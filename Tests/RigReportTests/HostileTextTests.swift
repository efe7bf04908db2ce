import RigModel
import RigReport
import Testing

/// Texts put together at random (from a fixed seed) out of the pieces that break sinks.
@Suite struct HostileTextTests {
  private static let pieces: [String] = [
    "\u{1B}", "[", "]", "0;", "\u{7}", "\\", "\u{9B}", "\u{9D}", "\u{9C}", "\n", "\r", "m", "31", "<", ">", "]]>", "&",
    "\"", "'", "\u{FFFE}", "\u{0}", "é", "日", "😀", "\u{301}", "\u{202E}", "://", "rtsp://", "rtmp://h/a/", "u:p@h", "@",
    "/", ":", "=", "passphrase", "key", "token=", "Authorization: ", "hunter22", "hunter2", "[redacted]", " ", ",", ")",
    "[[ATTACHMENT|", "a", "{\"password\":\"",
  ]

  private static func texts(_ count: Int) -> [String] {
    var state: UInt64 = 1
    func next(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(bound))
    }
    return (0..<count).map { _ in (0..<next(14)).map { _ in pieces[next(pieces.count)] }.joined() }
  }

  @Test func redactionComesToAnEnd() {
    let redactor = Redactor(secrets: ["hunter22", "hunter2"], hidesStreamKeys: true)
    for text in Self.texts(20_000) {
      let once = redactor.redact(text)
      let twice = redactor.redact(once)
      let plain = Redactor().redact(once)
      guard once != twice || once != plain || once.contains("hunter2") else { continue }
      Issue.record(
        "\(text.debugDescription) → \(once.debugDescription) → \(twice.debugDescription), \(plain.debugDescription)")
    }
  }

  @Test func everySinkStaysWellFormed() throws {
    for text in Self.texts(3000) {
      let element = XMLText.element(text, limit: 300)
      let attribute = XMLText.attribute(text, limit: 40)
      _ = try XMLDocument.parse("\(XMLWriter.declaration)<a b=\"\(attribute)\">\(element)</a>\n")
      let line = TerminalText.line(text, columns: 20)
      #expect(TerminalText.columns(line) <= 20 && !line.unicodeScalars.contains { $0.value < 0x20 })
      let journal = JournalLine.encode(.entry(caseID: text, TimelineEntry(.zero, .deviceLog(text))))
      guard case .event = JournalLine.decode(journal) else {
        Issue.record("not read: \(journal)")
        continue
      }
    }
  }
}
