import RigModel
import RigReport
import Testing

@Suite struct JUnitReportTests {
  private func report(_ records: [RunRecord]) throws -> XMLDocument.Node {
    try checkedReport(JUnitReport.render(Sample.state(of: records)))
  }

  @Test func everyResultIsCountedAsItsVerdictSays() throws {
    let root = try report(Sample.records)
    let verdicts = try root.all("testsuite").map { suite in
      let verdict = try #require(suite.children.first { $0.name == "testcase" })
      #expect(verdict["name"] == "verdict")
      return suite["name"] + " " + (verdict.children.first?.name ?? "") + " " + (verdict.children.first?["type"] ?? "")
    }
    #expect(
      verdicts == [
        "success[transport=tcp] on emu-1 system-out (none)", "mode-entry-timeout on emu-1 system-out (none)",
        "no-picture on emu-1 failure play", "loss on emu-1 error fault-not-fired",
        "jitter on emu-1 error inconclusive", "room on emu-1 skipped (none)", "flaky on emu-1 failure flaky",
      ])
  }

  @Test func aPassHoldsNoFailureWhateverWasFound() throws {
    var record = Sample.record(failing: "play")
    record.stages.append(StageRecord(id: "extra", outcome: .unfinished, reason: "cut"))
    record.stages.append(StageRecord(id: "weak", outcome: .inconclusive, reason: "clock"))
    record.checks = [
      CheckGroupRecord(group: "rtp", judged: [], findings: [Sample.finding]),
      CheckGroupRecord(group: "rtcp", judged: [], inconclusive: "packets lost", findings: []),
    ]
    let suite = try report([record]).suite("success on emu-1")
    #expect(suite.number("failures") == 0 && suite.number("errors") == 0)
    #expect(try suite.test("checks.rtp").first("system-out")?.text.contains("7 packets are missing") == true)
  }

  @Test func aStageThatFailedAsExpectedPassesAndSaysSo() throws {
    let suite = try report(Sample.records).suite("mode-entry-timeout on emu-1")
    let stage = try suite.test("04 enter-live-mode")
    #expect(stage.children.map(\.name) == ["system-out"])
    #expect(stage.first("system-out")?.text.contains("failed as expected: no completion in 3 s") == true)
    #expect(try suite.test("05 wait-for-hotspot").first("skipped")?["message"] == "blocked by enter-live-mode")
    #expect(suite.property("fault.fired") == "hang at enter-live-mode")
  }

  @Test func aFailureNamesItsPointAndItsEvidence() throws {
    let suite = try report(Sample.records).suite("no-picture on emu-1")
    let failure = try #require(try suite.test("verdict").first("failure"))
    #expect(failure["message"] == "failed at play: no key frame in 5 s")
    for part in [
      "failure point: play", "stage play: nothing came (limit 5 s)",
      "error rtp.seq [play]: 7 packets are missing (7 times)",
      "capture.pcapng, frame 412, 2026-11-30T05:24:28.125000001Z, SSRC 0x00ABCDEF, sequence 4711, offset 88",
      "last: frame 590",
    ] {
      #expect(failure.text.contains(part), "\(part)")
    }
    #expect(try suite.test("08 play").first("failure") != nil)
    #expect(try suite.test("checks.rtp").first("failure")?["type"] == "rtp.seq")
  }

  @Test func anErrorVerdictTurnsFailuresIntoErrors() throws {
    var record = Sample.record("x", .error, reason: "no device", failing: "preflight")
    record.checks = [CheckGroupRecord(group: "rtp", judged: [], findings: [Sample.finding])]
    let suite = try report([record]).suite("x on emu-1")
    #expect(suite.number("failures") == 0)
    #expect(try suite.test("01 preflight").first("error") != nil)
    #expect(try suite.test("checks.rtp").first("error") != nil)
  }

  @Test func aFindingAgainstTheExpectedStageIsNoFailureOfAFailedCase() throws {
    var record = Sample.record("x", .fail, reason: "reached active", failing: "play")
    record.expectation.failed = FailurePoint(StageID.play)
    record.checks = [CheckGroupRecord(group: "rtp", judged: [], findings: [Sample.finding])]
    let suite = try report([record]).suite("x on emu-1")
    #expect(try suite.test("checks.rtp").first("failure") == nil)
    #expect(try suite.test("08 play").first("failure") == nil)
    #expect(suite.number("failures") == 1)
  }

  @Test func aSkippedCaseIsSkippedThroughoutWithItsRawOutcome() throws {
    var record = Sample.record("q", .skip, reason: "quarantined FW-123; raw outcome: fail at play", failing: "play")
    record.checks = [CheckGroupRecord(group: "rtp", judged: [], findings: [Sample.finding])]
    record.measurements = [Measurement("rtp.loss", 1, "%")]
    let suite = try report([record]).suite("q on emu-1")
    #expect(suite.number("skipped") == suite.number("tests"))
    #expect(try suite.test("verdict").first("skipped")?["message"].contains("FW-123") == true)
    #expect(try suite.test("08 play").first("skipped")?["message"] == "failed: nothing came")
  }

  @Test func measurementsAreTestcasesAndProperties() throws {
    let suite = try report(Sample.records).suite("success[transport=tcp] on emu-1")
    #expect(try suite.test("measure.time-to-active").first("system-out")?.text == "time-to-active = 4.25 s")
    #expect(suite.property("measure.rtp.loss") == "0.00001 %")
    #expect(suite.property("time") == "real")
    #expect(suite.property("run.seed") == "18446744073709551615")
    #expect(suite.property("capture") == "cases/success-transport=tcp@emu-1/capture.pcapng")
  }

  @Test func richAddsWhatStrictLeavesOut() throws {
    let root = try checkedReport(
      JUnitReport.render(Sample.state(of: Sample.records), profile: .rich, attachments: "out/"))
    let suite = try root.suite("success[transport=tcp] on emu-1")
    let verdict = try suite.test("verdict")
    #expect(suite["timestamp"] == "2026-11-30T05:24:28.125Z")
    #expect(verdict["file"] == "Scenarios/rtsp-hotspot/success.yaml")
    let lines = try #require(verdict.first("system-out")).text.split(separator: "\n")
    #expect(lines.contains("[[ATTACHMENT|out/cases/success-transport=tcp@emu-1/capture.pcapng]]"))
    #expect(verdict.property("reached") == "ended")
    let flaky = try root.suite("flaky on emu-1").test("verdict")
    #expect(flaky.first("failure") != nil)
    let retried = try checkedReport(
      JUnitReport.render(
        Sample.state(of: [
          Sample.record("y", .fail, reason: "one", failing: "play"),
          Sample.record("y", attempt: 2, .fail, reason: "two", failing: "finish"),
        ]), profile: .rich))
    let rerun = try #require(try retried.suite("y on emu-1").test("verdict").first("rerunFailure"))
    #expect(rerun["message"] == "attempt 1: one" && rerun["type"] == "play")
  }

  @Test func tenThousandSmallRecords() throws {
    let small = (0..<10_000).map { index in
      var record = Sample.record("c-\(index)")
      record.stages = []
      record.planned.stages = []
      return record
    }
    let cases = small.map(\.planned)
    var state = RunState()
    state.apply(.runStarted(Sample.header(cases)))
    for record in small { state.apply(.caseEnded(record)) }
    state.apply(.runEnded(at: Sample.at(1), interrupted: false))
    let root = try checkedReport(JUnitReport.render(state))
    #expect(root.number("tests") == 10_000)
    #expect(root.all("testsuite").last?["name"] == "c-9999 on emu-1")
    #expect(root["time"] == "62500.000")
  }
}
