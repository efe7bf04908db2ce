import RigModel

/// The file as it grows: suites become text one by one, and size is spent first come, first served.
struct JUnitDocument {
  var names = JUnitNames()

  private let profile: JUnitReport.Profile
  private let attachments: String
  private var body = ""
  private var counts = JUnitSuite.Counts()
  private var milliseconds: Int64 = 0
  private var leftOut = 0
  /// What texts may still take; a node after that gets `least` bytes.
  private var textBudget = 20_000_000
  private static let least = 512

  init(profile: JUnitReport.Profile, attachments: String) {
    self.profile = profile
    self.attachments = attachments
  }

  /// A suite that no longer fits is written with its verdict alone, and one that does not fit even so is counted.
  mutating func append(_ suite: JUnitSuite) {
    if write(suite, upTo: JUnitReport.sizeLimit - 2_000_000) { return }
    if write(suite.compact, upTo: JUnitReport.sizeLimit - 200_000) { return }
    leftOut += 1
  }

  private mutating func write(_ suite: JUnitSuite, upTo limit: Int) -> Bool {
    guard body.utf8.count < limit else { return false }
    var budget = textBudget
    let text = text(of: suite, budget: &budget)
    guard body.utf8.count + text.utf8.count <= limit else { return false }
    body += text
    textBudget = budget
    counts += suite.counts
    // Summed from what is printed, so that the sum of the suites is the time of the whole, to the digit.
    milliseconds += max(0, suite.milliseconds)
    return true
  }

  mutating func finish(startedAt: Int64?) -> String {
    if leftOut > 0 {
      var suite = JUnitSuite(name: "report", className: "streamrig.report")
      suite.cases = [
        JUnitSuite.Case(
          name: "size limit",
          outcome: .error(
            type: "left-out", message: "\(leftOut) cases are left out: the report is at its size limit",
            body: "The journal holds them."))
      ]
      var budget = 0
      body += text(of: suite, budget: &budget)
      counts += suite.counts
    }
    var attributes: [XMLWriter.Attribute] = [
      ("name", "streamrig"), ("tests", "\(counts.tests)"), ("failures", "\(counts.failures)"),
      ("errors", "\(counts.errors)"), ("time", NumberText.seconds(milliseconds: milliseconds)),
    ]
    if profile == .rich {
      attributes.append(("skipped", "\(counts.skipped)"))
      if let startedAt { attributes.append(("timestamp", WallTime.milliseconds(startedAt))) }
    }
    var writer = XMLWriter()
    guard !body.isEmpty else {
      writer.element("testsuites", attributes)
      return XMLWriter.declaration + writer.text
    }
    writer.begin("testsuites", attributes)
    let head = XMLWriter.declaration + writer.text
    let size = writer.text.utf8.count
    writer.end()
    return head + body + String(decoding: Array(writer.text.utf8.dropFirst(size)), as: UTF8.self)
  }

  // MARK: One suite

  private func text(of suite: JUnitSuite, budget: inout Int) -> String {
    let counts = suite.counts
    var writer = XMLWriter(depth: 1)
    var attributes: [XMLWriter.Attribute] = [
      ("name", suite.name), ("tests", "\(counts.tests)"), ("failures", "\(counts.failures)"),
      ("errors", "\(counts.errors)"), ("skipped", "\(counts.skipped)"),
      ("time", NumberText.seconds(milliseconds: suite.milliseconds)),
    ]
    if let startedAt = suite.startedAt {
      // The schema's readers take a stamp without a zone; it is UTC, and the property `started` says so.
      attributes.append(
        ("timestamp", profile == .rich ? WallTime.milliseconds(startedAt) : WallTime.seconds(startedAt)))
    }
    if !suite.hostName.isEmpty { attributes.append(("hostname", suite.hostName)) }
    if profile == .rich, !suite.file.isEmpty { attributes.append(("file", suite.file)) }
    writer.begin("testsuite", attributes)
    write(suite.properties, to: &writer)
    var names: Set<String> = []
    for one in suite.cases {
      write(one, named: JUnitNames.unique(JUnitNames.label(one.name), in: &names), of: suite, to: &writer, &budget)
    }
    writer.end()
    return writer.text
  }

  private func write(_ properties: [(name: String, value: String)], to writer: inout XMLWriter) {
    guard !properties.isEmpty else { return }
    var names: Set<String> = []
    writer.begin("properties")
    for property in properties {
      let name = JUnitNames.unique(JUnitNames.label(property.name), in: &names)
      writer.element("property", [("name", name), ("value", property.value)])
    }
    writer.end()
  }

  private func write(
    _ one: JUnitSuite.Case, named name: String, of suite: JUnitSuite, to writer: inout XMLWriter, _ budget: inout Int
  ) {
    var attributes: [XMLWriter.Attribute] = [
      ("classname", suite.className), ("name", name),
      ("time", NumberText.seconds(milliseconds: one.milliseconds)),
    ]
    if profile == .rich {
      if !suite.file.isEmpty { attributes.append(("file", suite.file)) }
      if let startedAt = one.startedAt { attributes.append(("timestamp", WallTime.milliseconds(startedAt))) }
    }
    let links = profile == .rich ? attachmentLines(one.attachments) : ""
    let output = output(of: one, link: suite.link, links: links, &budget)
    let isRich = profile == .rich && !(one.properties.isEmpty && one.reruns.isEmpty)
    if case .passed = one.outcome, output.isEmpty, !isRich { return writer.element("testcase", attributes) }
    writer.begin("testcase", attributes)
    if isRich { write(one.properties, to: &writer) }
    switch one.outcome {
    case .passed: break
    case .failure(let type, let message, let body):
      write("failure", type, message, body, link: suite.link, to: &writer, &budget)
    case .error(let type, let message, let body):
      write("error", type, message, body, link: suite.link, to: &writer, &budget)
    case .skipped(let reason):
      writer.element("skipped", [("message", message(reason))])
    }
    if isRich {
      for rerun in one.reruns {
        writer.element(rerun.element, [("type", rerun.type), ("message", message(rerun.message))])
      }
    }
    if !output.isEmpty { writer.element("system-out", escaped: output) }
    writer.end()
  }

  private func write(
    _ element: String, _ type: String, _ message: String, _ body: String, link: String?, to writer: inout XMLWriter,
    _ budget: inout Int
  ) {
    writer.element(
      element, [("type", JUnitNames.label(type)), ("message", self.message(message))],
      escaped: spend(body, link: link, &budget))
  }

  private func output(of one: JUnitSuite.Case, link: String?, links: String, _ budget: inout Int) -> String {
    guard !one.output.isEmpty || !links.isEmpty else { return "" }
    // A device could name a file in its log and have it attached: only lines written here may hold the mark.
    let mark = "[[ATTACHMENT|"
    let text = one.output.isEmpty ? "" : spend(one.output, link: link, &budget)
    let safe = text.utf8.contains(0x5B) ? replace(mark, by: "[ [ATTACHMENT|", in: text) : text
    return safe + (safe.isEmpty || links.isEmpty || safe.hasSuffix("\n") ? "" : "\n") + links
  }

  private func replace(_ mark: String, by other: String, in text: String) -> String {
    let pattern = Array(mark.utf8)
    let bytes = Array(text.utf8)
    var out: [UInt8] = []
    var copied = 0
    var at = 0
    while at + pattern.count <= bytes.count {
      guard bytes[at] == pattern[0], bytes[at..<(at + pattern.count)].elementsEqual(pattern) else {
        at += 1
        continue
      }
      out += bytes[copied..<at] + Array(other.utf8)
      at += pattern.count
      copied = at
    }
    return copied == 0 ? text : String(decoding: out + bytes[copied...], as: UTF8.self)
  }

  private func spend(_ text: String, link: String?, _ budget: inout Int) -> String {
    let escaped = XMLText.element(text, limit: min(XMLText.nodeLimit, max(Self.least, budget)), link: link)
    budget = max(0, budget - escaped.utf8.count)
    return escaped
  }

  private func message(_ text: String) -> String {
    var out = ""
    // A message is a headline: the body has the rest.
    for scalar in text.unicodeScalars.prefix(1200) { out.unicodeScalars.append(scalar) }
    return TerminalText.line(out, columns: 400)
  }

  /// One line an artifact. A path that the mark cannot hold, or that leaves the reports folder, is named in plain words.
  private func attachmentLines(_ paths: [String]) -> String {
    var seen: Set<String> = []
    var out = ""
    for path in paths.prefix(200) where seen.insert(path).inserted {
      if JUnitDocument.canAttach(path) {
        out += "[[ATTACHMENT|\(XMLText.element(attachments + path, limit: 4096))]]\n"
      } else {
        out +=
          "file that cannot be attached under this name: \(XMLText.element(JUnitNames.oneLine(path), limit: 4096))\n"
      }
    }
    return out
  }

  static func canAttach(_ path: String) -> Bool {
    guard !path.isEmpty, path.utf8.count <= 1024, !path.hasPrefix("/") else { return false }
    if path.split(separator: "/", omittingEmptySubsequences: false).contains("..") { return false }
    return path.unicodeScalars.allSatisfy { scalar in
      scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value) && scalar.value & 0xFFFE != 0xFFFE
        && !"[]|\\".unicodeScalars.contains(scalar) && scalar != "\u{2028}" && scalar != "\u{2029}"
    }
  }
}
