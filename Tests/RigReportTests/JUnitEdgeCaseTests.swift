import RigModel
import RigReport
import Testing

/// What has broken other reporters, one test each.
@Suite struct JUnitEdgeCaseTests {
  private func report(
    _ records: [RunRecord], profile: JUnitReport.Profile = .strict
  ) throws -> XMLDocument.Node {
    try checkedReport(JUnitReport.render(Sample.state(of: records), profile: profile))
  }

  private func failing(_ reason: String) -> RunRecord { Sample.record("x", .fail, reason: reason, failing: "play") }

  @Test(arguments: JUnitReport.Profile.allCases)
  func hostileTextEverywhere(profile: JUnitReport.Profile) throws {
    // ESC, NUL, a noncharacter, a closing CDATA, markup, and what a lone surrogate and invalid UTF-8 become.
    let bytes: [UInt8] =
      [0x1B, 0x5B, 0x33, 0x31, 0x6D] + Array("red\0\u{FFFE}]]><&\"'\r\n\t".utf8) + [0xED, 0xA0, 0x80, 0xFF, 0xC3]
    let text = XMLText.decode(bytes)
    var record = Sample.record("a" + text, device: text, .fail, reason: text, failing: "play")
    record.planned.plan = text
    record.planned.file = text
    record.planned.stages.append(text)
    record.failurePoint = FailurePoint(name: text)
    record.stages.append(StageRecord(id: text, outcome: .failed, reason: text))
    record.stages.append(StageRecord(id: text, outcome: .blocked, reason: text))
    record.faults = [FaultRecord(text: text, fired: false, proof: text)]
    record.checks = [
      CheckGroupRecord(
        group: text, judged: [text],
        findings: [
          Finding(
            check: text, severity: .error, message: text, first: Evidence(file: text, excerpt: text),
            last: Evidence(excerpt: text), stage: StageID(rawValue: text))
        ]),
      CheckGroupRecord(group: text, judged: [], skipped: text, findings: []),
      CheckGroupRecord(group: text, judged: [], inconclusive: text, findings: []),
    ]
    record.measurements = [Measurement(text, 1, text)]
    record.properties = [RunRecord.Property(text, text)]
    record.artifacts = [Artifact(path: text, title: text)]
    record.expectation.never = [text]
    let root = try report([record], profile: profile)
    let body = try #require(root.all("testsuite")[0].test("verdict").first("failure")).text
    #expect(body.hasPrefix("red\u{FFFD}\u{FFFD}]]><&\"'\n\t\u{FFFD}"))
  }

  @Test func timesAreFixedPoint() throws {
    // Over 999 s, under a millisecond, rounded from four decimals, negative, and beyond what a double holds.
    let cases: [(Duration, String)] = [
      (.milliseconds(1_032_500), "1032.500"), (.microseconds(10), "0.000"), (.microseconds(2_500_400), "2.500"),
      (.microseconds(2_500_500), "2.501"), (.seconds(-3), "0.000"), (.seconds(9_000_000_000), "9000000000.000"),
    ]
    for (duration, text) in cases {
      var record = Sample.record()
      record.started = .zero
      record.ended = HostTime(nanoseconds: duration.nanoseconds)
      record.stages = [StageRecord(id: "preflight", outcome: .passed, began: record.started, ended: record.ended)]
      let root = try report([record])
      #expect(root["time"] == text)
      #expect(try root.all("testsuite")[0].test("01 preflight")["time"] == text)
    }
  }

  @Test func numbersThatAreNone() throws {
    var record = Sample.record()
    record.measurements = [Measurement("a", .nan, "s"), Measurement("b", -.infinity, "s"), Measurement("c", 1e300, "")]
    let suite = try report([record]).all("testsuite")[0]
    #expect(suite.property("measure.a") == "not a number s")
    #expect(suite.property("measure.b") == "infinite s")
    #expect(suite.property("measure.c")?.contains("e") == false)
  }

  @Test func cellsWithDotsKeepTheirClassNamesApart() throws {
    let root = try report([
      Sample.record("p[rate=1.5]"), Sample.record("p[rate=1%2E5]"), Sample.record("p[rate=1/5]"), Sample.record("p"),
      Sample.record("p", device: "emu.2"), Sample.record("p[emu.2]", device: ""),
    ])
    let names = try root.all("testsuite").map { try $0.test("verdict")["classname"] }
    #expect(names[0] == "rtsp-hotspot.p.rate=1%2E5.emu-1")
    #expect(names[1] == "rtsp-hotspot.p.rate=1%252E5.emu-1")
    #expect(names.contains("rtsp-hotspot.p.emu%2E2"))
    #expect(Set(names).count == 6)
  }

  @Test func sameNamesInOneSuiteAreNumbered() throws {
    var record = Sample.record()
    record.checks = ["rtp", "rtp", "rtp"].map { CheckGroupRecord(group: $0, judged: [], findings: []) }
    record.measurements = [Measurement("m", 1, "s"), Measurement("m", 2, "s")]
    record.properties = [RunRecord.Property("a", "1"), RunRecord.Property("a", "2")]
    let suite = try report([record]).all("testsuite")[0]
    #expect(try suite.test("checks.rtp #3")["time"] == "0.000")
    #expect(suite.property("a #2") == "2")
  }

  @Test func retriesCountOneCase() throws {
    let failPass = [failing("one"), Sample.record("x", attempt: 2)]
    let failFail = [failing("one"), Sample.record("x", attempt: 2, .fail, reason: "two", failing: "finish")]
    for (records, type) in [(failPass, "flaky"), (failFail, "finish")] {
      let root = try report(records)
      #expect(root.all("testsuite").count == 1)
      let verdict = try root.all("testsuite")[0].test("verdict")
      #expect(verdict.first("failure")?["type"] == type)
      #expect(verdict.first("system-out")?.text.contains("attempt ") == true)
      #expect(RunSummary(Sample.state(of: records)).total == 1)
    }
  }

  @Test func aRunKilledInAStageReadsAsErrors() throws {
    let events = Sample.events([Sample.record("a"), Sample.record("b"), Sample.record("c")])
    let cut = try #require(
      events.lastIndex { if case .entry("b", let entry) = $0, case .stageBegan = entry.what { true } else { false } })
    let root = try checkedReport(JUnitReport.render(Sample.state(Array(events[...cut]))))
    #expect(root.number("failures") == 0)
    let b = try root.suite("b on emu-1")
    let error = try #require(try b.test("verdict").first("error"))
    #expect(error["type"] == "unfinished" && error["message"].hasPrefix("did not finish in clean-up"))
    #expect(try b.test("12 clean-up").first("error")?["type"] == "unfinished")
    #expect(try b.test("11 finish").children.isEmpty)
    #expect(try root.suite("c").test("verdict").first("skipped") != nil)
    #expect(try root.suite("run").test("finished").first("error")?["type"] == "unfinished")
  }

  @Test func aRunKilledBetweenCasesIsNotGreen() throws {
    let events = Sample.events([Sample.record("a"), Sample.record("b")])
    let cut = try #require(events.firstIndex { if case .caseEnded = $0 { true } else { false } })
    let state = Sample.state(Array(events[...cut]))
    #expect(try checkedReport(JUnitReport.render(state)).number("errors") == 1)
    #expect(RunSummary(state).exitStatus == 3)
  }

  @Test func anInterruptedRunSkipsWhatNeverStarted() throws {
    var events = Sample.events([Sample.record("a"), Sample.record("b")])
    events.removeLast(Sample.stages.count * 2 + 3)
    events.append(.runEnded(at: Sample.at(9000), interrupted: true))
    let state = Sample.state(events)
    let root = try checkedReport(JUnitReport.render(state))
    #expect(
      try root.suite("b").test("verdict").first("skipped")?["message"] == "never started: the run was interrupted")
    #expect(try root.suite("run").test("finished").first("error")?["type"] == "interrupted")
    #expect(RunSummary(state).exitStatus == 130)
  }

  @Test func aTimeoutNeverReadsAsAPass() throws {
    var record = Sample.record("x", .inconclusive, reason: "the clock is too coarse")
    record.stages[3].outcome = .unfinished
    let suite = try report([record]).all("testsuite")[0]
    #expect(try suite.test("04 enter-live-mode").first("error")?["type"] == "inconclusive")
    record.verdict = .fail
    #expect(try report([record]).all("testsuite")[0].test("04 enter-live-mode").first("failure") != nil)
  }

  @Test func noCaseSelected() throws {
    var state = RunState()
    state.apply(.runStarted(Sample.header([])))
    state.apply(.runEnded(at: Sample.at(1), interrupted: false))
    let text = JUnitReport.render(state)
    #expect(
      text == """
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="streamrig" tests="0" failures="0" errors="0" time="0.000"/>

        """)
    #expect(RunSummary(state).exitStatus == 4)
  }

  @Test func aSetupFailureBlocksTheStagesAfterIt() throws {
    let suite = try report([Sample.record("x", .error, reason: "no device answered", failing: "preflight")])
      .suite("x on emu-1")
    #expect(suite.number("errors") == 2)
    #expect(suite.number("skipped") == Sample.stages.count - 1)
  }

  @Test func aFailureInCleanUpAfterAPass() throws {
    let suite = try report([Sample.record("x", .fail, reason: "the port is still open", failing: "clean-up")])
      .suite("x on emu-1")
    #expect(suite.number("failures") == 2)
    #expect(try suite.test("08 play").children.isEmpty)
    #expect(try suite.test("12 clean-up").first("failure") != nil)
  }

  @Test func aLogOfSixtyMegabytesKeepsHeadAndTail() throws {
    let log = "first line\n" + String(repeating: "0123456789abcde\n", count: 60 << 16) + "last line"
    let text = XMLText.element(log, link: "cases/x/device.log")
    #expect(text.utf8.count <= XMLText.nodeLimit && text.utf8.count > XMLText.nodeLimit - 4096)
    #expect(text.hasPrefix("first line\n") && text.hasSuffix("last line"))
    #expect(text.contains("the whole text is in cases/x/device.log"))
  }

  @Test func manyLongTextsStayUnderTheFileLimit() throws {
    let long = String(repeating: "x", count: 900_000)
    let records = (0..<14).map { Sample.record("c-\($0)", .fail, reason: long, failing: "play") }
    let root = try report(records)
    #expect(root.all("testsuite").count == 14)
    let sizes = root.all("testsuite").map { $0.children[1].first("failure")?.text.utf8.count ?? 0 }
    #expect(sizes[0] > 100_000 && sizes[13] < 1000)
  }

  @Test func attachmentNames() throws {
    var record = Sample.record("x")
    record.artifacts = [
      "cases/a b/log.txt", "cases/ü/log.txt", "cases/a]b/log", "cases/a|b", "../../etc/passwd", "/etc/passwd",
      "cases/a b/log.txt", "cases/line\nbreak", "",
    ].map { Artifact(path: $0, title: "") }
    let output = try #require(
      try report([record], profile: .rich).all("testsuite")[0].test("verdict").first("system-out"))
    let marks = output.text.split(separator: "\n").filter { $0.hasPrefix("[[") }
    #expect(marks == ["[[ATTACHMENT|cases/a b/log.txt]]", "[[ATTACHMENT|cases/ü/log.txt]]"])
  }

  @Test func aDeviceCannotAttachFiles() throws {
    var record = failing("x\n[[ATTACHMENT|/etc/passwd]]\n")
    record.checks = [
      CheckGroupRecord(
        group: "rtp", judged: [],
        findings: [Finding(check: "a", severity: .warning, message: "\n[[ATTACHMENT|/etc/passwd]]")])
    ]
    for profile in JUnitReport.Profile.allCases {
      let suite = try report([record], profile: profile).all("testsuite")[0]
      for one in suite.all("testcase") {
        #expect(one.first("system-out")?.text.contains("[[ATTACHMENT|") != true)
      }
    }
  }

  @Test func namesThatAreLongEmptyOrBroken() throws {
    let long = String(repeating: "ä", count: 400)
    let root = try report([
      Sample.record(long + "1"), Sample.record(long + "2"), Sample.record("", device: ""),
      Sample.record("a\nb", device: "\n"),
    ])
    let names = root.all("testsuite").map { $0["name"] }
    #expect(Set(names).count == 4)
    #expect(names.allSatisfy { !$0.isEmpty && $0.utf8.count <= 256 && !$0.contains("\n") })
    #expect(names[2] == "(no name)")
    #expect(names[3] == "a b on")
  }

  @Test func strictStampsHaveNoZoneAndSayUTCInAProperty() throws {
    let suite = try report([Sample.record()]).all("testsuite")[0]
    #expect(suite["timestamp"] == "2026-11-30T05:24:28")
    #expect(suite.property("started") == "2026-11-30T05:24:28.125Z")
  }

  @Test func shardsWithTheSameSuiteAreKeptApart() throws {
    let shards = ["r1", "r2", "r2"].map { Sample.state(Sample.events([Sample.record("a")], run: $0)) }
    let root = try checkedReport(JUnitReport.render(shards))
    #expect(root.all("testsuite").map { $0["name"] } == ["a on emu-1", "a on emu-1 (run r2)", "a on emu-1 #2"])
    #expect(RunSummary(shards).total == 3)
  }

  /// Shards of several benches go into one report.
  @Test(arguments: JUnitReport.Profile.allCases)
  func eachSuiteNamesItsRig(_ profile: JUnitReport.Profile) throws {
    let shards = ["north", nil].map { rig in
      var events = Sample.events([Sample.record("a")], run: rig ?? "r2")
      guard case .runStarted(var header) = events[0] else { return Sample.state(events) }
      header.rig = rig
      events[0] = .runStarted(header)
      return Sample.state(events)
    }
    let root = try checkedReport(JUnitReport.render(shards, profile: profile))
    #expect(root.all("testsuite").map { $0.property("rig") } == ["north", nil])
  }

  @Test func devicesDoNotOverwriteEachOther() throws {
    let root = try report([
      Sample.record("a", device: "emu-1"), Sample.record("a", device: "emu-2", .fail, failing: "play"),
    ])
    #expect(root.all("testsuite").map { $0["name"] } == ["a on emu-1", "a on emu-2"])
    #expect(root.number("failures") == 2)
  }

  @Test func aSecretInAProperty() throws {
    var record = Sample.record()
    record.properties = [
      RunRecord.Property("hotspot.passphrase", "not told before"), RunRecord.Property("ssid", "net of hunter22"),
    ]
    let state = Sample.state(Sample.events([record]), redactor: Redactor(secrets: ["hunter22"]))
    let text = JUnitReport.render(state)
    #expect(!text.contains("not told before") && !text.contains("hunter22"))
    #expect(try checkedReport(text).all("testsuite")[0].property("ssid") == "net of [redacted]")
  }

  @Test func aPlannedCaseWithoutARecordIsAnErrorWhenTheRunEndedOfItself() throws {
    var state = RunState()
    state.apply(.runStarted(Sample.header([Sample.planned("a")])))
    state.apply(.runEnded(at: Sample.at(1), interrupted: false))
    #expect(try checkedReport(JUnitReport.render(state)).number("errors") == 1)
    #expect(RunSummary(state).exitStatus == 3)
  }
}
