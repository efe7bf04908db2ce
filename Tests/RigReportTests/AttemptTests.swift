import RigModel
import RigReport
import Testing

@Suite struct AttemptTests {
  /// `F` failed, `.` passed, `?` proved nothing.
  private func find(_ text: String) -> AttemptPattern? {
    AttemptPattern.find(text.map { $0 == "F" ? true : $0 == "." ? false : nil })
  }

  @Test func patternsAreFound() {
    #expect(find("F..") == .firstOnly)
    #expect(find("FF...") == .until(2))
    #expect(find("...FFFF") == .after(3))
    #expect(find("......F......F......F") == .every(7, first: 7))
    #expect(find("..F...F...F.") == .every(4, first: 3))
    #expect(find(".F.F.F") == .every(2, first: 2))
  }

  @Test func whatProvesNothingFitsAnyPattern() {
    #expect(find("......F......?......F......F") == .every(7, first: 7))
    #expect(find("..?...F......F......F") == .every(7, first: 7))
    #expect(find("F.?") == nil)
    #expect(find("F.?.") == .firstOnly)
  }

  @Test(
    arguments: [
      "", "F", ".", "FF", "..", "F.", ".F", "....F", "......F......F", ".F...F..F", "......F......F......F.....FF",
      "......F......F.............F......", "F......F......F.F",
    ])
  func chanceIsNoPattern(_ text: String) { #expect(find(text) == nil) }

  /// The first period may be cut by where the run began, never be longer than the period.
  @Test func aLateFirstFailureIsNoPeriod() { #expect(find("....F..F..F") == nil) }

  @Test func patternsReadWell() {
    #expect(AttemptPattern.every(7, first: 7).text == "every 7th attempt failed")
    #expect(AttemptPattern.every(21, first: 2).text == "every 21st attempt failed, beginning with attempt 2")
    #expect(AttemptPattern.every(12, first: 12).text == "every 12th attempt failed")
    #expect(AttemptPattern.firstOnly.text == "only the first attempt failed")
    #expect(AttemptPattern.after(4).text == "every attempt after attempt 4 failed")
    #expect(AttemptPattern.until(2).text == "attempts 1 to 2 failed, and none after")
  }

  struct Rate: Sendable {
    let passed: Int
    let judged: Int
    let low: Double
    let high: Double
  }

  /// Reference values of the Wilson score interval, computed with another program.
  @Test(arguments: [
    Rate(passed: 0, judged: 10, low: 0, high: 0.27753), Rate(passed: 10, judged: 10, low: 0.72247, high: 1),
    Rate(passed: 1, judged: 1, low: 0.20655, high: 1), Rate(passed: 5, judged: 10, low: 0.23659, high: 0.76341),
    Rate(passed: 172, judged: 200, low: 0.80508, high: 0.90141),
  ])
  func theIntervalIsWilsons(_ rate: Rate) throws {
    let interval = try #require(PassRate(passed: rate.passed, judged: rate.judged).interval)
    #expect(abs(interval.lowerBound - rate.low) < 1e-4, "\(interval)")
    #expect(abs(interval.upperBound - rate.high) < 1e-4, "\(interval)")
  }

  @Test func noAttemptHasNoRate() {
    #expect(PassRate(passed: 0, judged: 0).interval == nil)
    #expect(
      PassRate(passed: 172, judged: 200).text
        == "172 of 200 attempts passed (86 %, 95 % interval 80.5 % to 90.1 %)")
  }

  // MARK: In reports

  private func attempts(_ verdicts: [Verdict], isCutShort: Bool = false) -> RunState {
    let records = verdicts.enumerated().map { index, verdict in
      var record = Sample.record(
        "soak", attempt: index + 1, verdict, reason: "reason \(index + 1)", failing: verdict == .fail ? "play" : nil)
      record.isFollowed = index + 1 < verdicts.count || isCutShort
      record.planned.times = verdicts.count + (isCutShort ? 1 : 0)
      return record
    }
    return Sample.state(of: records)
  }

  @Test func failThenPassIsFlakyWhateverTheShare() throws {
    let verdicts: [Verdict] = (1...200).map { $0 % 7 == 0 ? .fail : .pass }
    let state = attempts(verdicts)
    let unit = try #require(state.units.first)
    #expect(unit.result == .flaky)
    #expect(
      unit.rateText
        == "172 of 200 attempts passed (86 %, 95 % interval 80.5 % to 90.1 %); every 7th attempt failed")
    #expect(RunSummary(state).exitStatus == 1)
    let suite = try checkedReport(JUnitReport.render(state)).suite("soak on emu-1")
    #expect(suite.property("attempts") == "200")
    #expect(suite.property("pattern") == "every 7th attempt failed")
    let failure = try #require(suite.test("verdict").first("failure"))
    #expect(failure["type"] == "flaky")
    #expect(failure["message"].contains("28 of 200 attempts failed (every 7th attempt failed)"))
    let text = ConsoleReport.summary([state], reports: nil)
    #expect(text.contains("FLAKY  soak  172 of 200 attempts passed"))
  }

  @Test func aRepetitionThatWasCutShortIsNoPass() throws {
    let state = attempts([.pass, .pass], isCutShort: true)
    #expect(state.units.first?.result == .unfinished)
    #expect(RunSummary(state).exitStatus == 3)
    let suite = try checkedReport(JUnitReport.render(state)).suite("soak on emu-1")
    #expect(suite["errors"] == "1")
    #expect(try suite.test("verdict").first("error")?["message"].hasPrefix("2 of 3 attempts were made") == true)
    #expect(attempts([.fail, .fail], isCutShort: true).units.first?.result == .fail)
  }

  @Test func theConsoleTellsEachAttemptAndTheWhole() {
    var report = ConsoleReport()
    var text = ""
    let records = [Verdict.fail, .pass, .pass].enumerated().map { index, verdict in
      var record = Sample.record("soak", attempt: index + 1, verdict, reason: "r")
      record.isFollowed = index < 2
      record.planned.times = 3
      return record
    }
    for event in Sample.events(records) { text += report.apply(event) }
    let lines = text.split(separator: "\n").map(String.init)
    #expect(lines.count == 4, "\(text)")
    #expect(lines.first?.hasPrefix("[1/1] FAIL   soak (attempt 1 of 3)") == true, "\(text)")
    #expect(lines.last?.hasPrefix("[1/1] FLAKY  soak  2 of 3 attempts passed") == true, "\(text)")
    #expect(lines.last?.hasSuffix("; only the first attempt failed") == true, "\(text)")
  }

  // MARK: Quarantine

  private func quarantined(_ verdict: Verdict) -> RunState {
    var record = Sample.record("known", verdict, reason: "no key frame", failing: verdict == .fail ? "play" : nil)
    record.quarantine = CalendarDate("2027-01-31").map { Quarantine(bug: "FW-123", owner: "team-fw", until: $0) }
    return Sample.state(of: [record, Sample.record("other")])
  }

  @Test(arguments: [Verdict.fail, .error, .inconclusive]) func quarantineDoesNotCount(_ verdict: Verdict) throws {
    let state = quarantined(verdict)
    #expect(state.units.first?.result == .quarantined)
    #expect(RunSummary(state).exitStatus == 0)
    let document = try checkedReport(JUnitReport.render(state))
    let suite = try document.suite("known on emu-1")
    #expect(suite["failures"] == "0" && suite["errors"] == "0")
    let message = try suite.test("verdict").first("skipped")?["message"] ?? ""
    #expect(message.hasPrefix("in quarantine FW-123 (team-fw, until 2027-01-31); \(verdict.rawValue): "), "\(message)")
    #expect(message.contains("no key frame"))
    #expect(suite.property("quarantine.outcome") == verdict.rawValue)
    #expect(ConsoleReport.summary([state], reports: nil).contains("QUARANTINED  known"))
  }

  @Test func anUnexpectedPassIsSaid() throws {
    let state = quarantined(.pass)
    #expect(RunSummary(state).unexpectedPasses == 1)
    #expect(RunSummary(state).exitStatus == 0)
    let suite = try checkedReport(JUnitReport.render(state)).suite("known on emu-1")
    #expect(suite.property("quarantine.outcome") == "unexpected pass")
    #expect(try suite.test("verdict").first("system-out")?.text.contains("UNEXPECTED PASS") == true)
    #expect(ConsoleReport.summary([state], reports: nil).contains("UNEXPECTED PASS  known"))
  }

  @Test func onlyAQuarantineThatRanIsNoEmptyRun() {
    var record = Sample.record("known", .fail, reason: "r")
    record.quarantine = CalendarDate("2027-01-31").map { Quarantine(bug: "B", owner: "o", until: $0) }
    #expect(RunSummary(Sample.state(of: [record])).exitStatus == 0)
  }

  @Test func theJournalKeepsAttemptsQuarantineAndMeasures() throws {
    var record = Sample.record("known", attempt: 3, .fail, reason: "r")
    record.isFollowed = true
    record.planned.times = 20
    record.quarantine = CalendarDate("2027-01-31").map { Quarantine(bug: "B", owner: "o", until: $0) }
    record.measurements = [
      Measurement(
        "rtp.jitter", 40, "ms",
        distribution: Distribution(samples: 9, minimum: 1, p50: 2, p90: 3, p95: 4, p99: 5, maximum: 40))
    ]
    record.measures = [
      MeasureRecord(
        measurement: "rtp.jitter", limit: "p95 3 ms", value: "p95 4 ms", outcome: .exceeded, source: "capture",
        reason: "over", stage: .running)
    ]
    let line = JournalLine.encode(.caseEnded(record))
    guard case .event(.caseEnded(let read)) = JournalLine.decode(line) else {
      Issue.record("not read: \(line)")
      return
    }
    #expect(read == record)
  }

  @Test func limitsOnMeasurementsStandInTheReport() throws {
    func measured(_ verdict: Verdict, _ outcome: MeasureRecord.Outcome) -> RunRecord {
      var record = Sample.record("m", verdict, reason: "because", failing: nil)
      record.measurements = [Measurement("rtp.loss", 2, "%")]
      record.measures = [
        MeasureRecord(
          measurement: "rtp.loss", limit: "max 1 %", value: "2 %", outcome: outcome, source: "capture",
          reason: "rtp.loss is 2 %, limit max 1 % (source: capture)", stage: .running)
      ]
      return record
    }
    let over = try checkedReport(JUnitReport.render(Sample.state(of: [measured(.fail, .exceeded)]))).suite("m on emu-1")
    #expect(try over.test("measure.rtp.loss").first("failure")?["message"].contains("limit max 1 %") == true)
    #expect(over.property("limit.rtp.loss") == "max 1 %: exceeded")
    let weak = try checkedReport(JUnitReport.render(Sample.state(of: [measured(.inconclusive, .notMade)]))).suite(
      "m on emu-1")
    #expect(try weak.test("measure.rtp.loss").first("error")?["type"] == "inconclusive")
    let state = Sample.state(of: [measured(.pass, .marginal)])
    let near = try checkedReport(JUnitReport.render(state)).suite("m on emu-1")
    #expect(near["failures"] == "0" && near["errors"] == "0")
    #expect(try near.test("measure.rtp.loss").first("system-out")?.text.contains("WARNING: rtp.loss is 2 %") == true)
    #expect(ConsoleReport.summary([state], reports: nil).contains("WARNING: rtp.loss is 2 %"))
  }
}
