import Foundation
import RigModel
import RigReport
import Testing

/// What a report looks like, kept as files. `STREAMRIG_RECORD_GOLDEN=1` rewrites them, and then the tests fail, so that a
/// recording can never pass unseen.
@Suite struct GoldenTests {
  /// The path as the compiler saw it, not normalized: the folder may be reached through a link.
  private static let tests = String(#filePath.dropLast("GoldenTests.swift".count))
  private static var isRecording: Bool { ProcessInfo.processInfo.environment["STREAMRIG_RECORD_GOLDEN"] == "1" }

  private static func whole(_ profile: JUnitReport.Profile) -> String {
    JUnitReport.render(Sample.state(of: Sample.records), profile: profile, attachments: "Reports/")
  }

  /// A run that was killed in the middle of its second case.
  private static func killed(_ profile: JUnitReport.Profile) -> String {
    let events = Sample.events(Array(Sample.records.prefix(3)))
    let cut = events.lastIndex { if case .caseStarted("mode-entry-timeout", _, _) = $0 { true } else { false } } ?? 0
    return JUnitReport.render(Sample.state(Array(events[...(cut + 5)])), profile: profile, attachments: "Reports/")
  }

  static let files: [(name: String, text: String)] = [
    ("junit-strict.xml", whole(.strict)), ("junit-rich.xml", whole(.rich)), ("junit-killed.xml", killed(.strict)),
    (
      "journal.jsonl",
      Sample.events(Array(Sample.records.prefix(2))).map { JournalLine.encode($0) + "\n" }.joined()
    ),
    (
      "events.jsonl",
      {
        var report = JSONLinesReport()
        return Sample.events(Array(Sample.records.prefix(2))).map { report.apply($0) }.joined()
      }()
    ),
  ]

  @Test(arguments: files.indices)
  func rendersAsKept(index: Int) throws {
    let file = Self.files[index]
    // The copies in Reports/samples are what a reader of the repository looks at.
    for path in ["\(Self.tests)Golden/\(file.name)", "\(Self.tests)../../Reports/samples/\(file.name)"] {
      if Self.isRecording {
        #expect(FileManager.default.createFile(atPath: path, contents: Data(file.text.utf8)))
        Issue.record("recorded \(file.name): run again without STREAMRIG_RECORD_GOLDEN")
        continue
      }
      let kept = try #require(FileManager.default.contents(atPath: path), "no file \(path)")
      #expect(String(decoding: kept, as: UTF8.self) == file.text, "\(path) differs from what is rendered")
    }
  }

  @Test(arguments: files.indices.filter { files[$0].name.hasSuffix(".xml") })
  func isWellFormedAndAddsUp(index: Int) throws { _ = try checkedReport(Self.files[index].text) }
}

/// Strict reports against the schema of the xunit readers: `STREAMRIG_JUNIT_XSD` names it, `xmllint` judges.
@Suite struct SchemaTests {
  private static let schema = ProcessInfo.processInfo.environment["STREAMRIG_JUNIT_XSD"]
  private static let linter = ["/usr/bin/xmllint", "/usr/local/bin/xmllint"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  static var reports: [(name: String, text: String)] {
    let hostile = "\u{1B}[1m\u{0}\u{FFFE}]]><&\"\n"
    var evil = Sample.record("e" + hostile, device: hostile, .fail, reason: hostile, failing: "play")
    evil.properties = [RunRecord.Property(hostile, hostile)]
    var slow = Sample.record("slow")
    slow.ended = slow.started + .milliseconds(1_032_500)
    let big = Sample.record("big", .fail, reason: String(repeating: "<x>\n", count: 400_000), failing: "play")
    return GoldenTests.files.filter { $0.name.hasSuffix("strict.xml") || $0.name.hasSuffix("killed.xml") } + [
      ("hostile text", JUnitReport.render(Sample.state(of: [evil]))),
      ("a long case", JUnitReport.render(Sample.state(of: [slow]))),
      ("a big text", JUnitReport.render(Sample.state(of: [big]))), ("no run", JUnitReport.render(RunState())),
      ("no cases", JUnitReport.render(Sample.state(of: []))),
      ("flaky", JUnitReport.render(Sample.state(of: Array(Sample.records.suffix(2))))),
    ]
  }

  @Test func strictReportsAreValid() throws {
    guard let schema = Self.schema else { return print("schema not checked: STREAMRIG_JUNIT_XSD is not set") }
    guard let linter = Self.linter else { return print("schema not checked: no xmllint on this machine") }
    for report in Self.reports {
      let file = FileManager.default.temporaryDirectory.appendingPathComponent(
        "streamrig-junit-\(UUID().uuidString).xml")
      try Data(report.text.utf8).write(to: file)
      defer { try? FileManager.default.removeItem(at: file) }
      let process = Process()
      process.executableURL = URL(fileURLWithPath: linter)
      process.arguments = ["--noout", "--schema", schema, file.path]
      let errors = Pipe()
      process.standardError = errors
      try process.run()
      let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      #expect(process.terminationStatus == 0, "\(report.name): \(text.prefix(500))")
    }
  }
}
