import RigModel
import RigReport
import Testing

/// Several runs in one journal, each going on from the one before.
@Suite struct RerunTests {
  private func events(
    _ run: String, _ planned: [RunRecord], _ made: [RunRecord], ends: Bool = true
  ) -> [RunEvent] {
    var events = Sample.events(made, run: run)
    events[0] = .runStarted(Sample.header(planned.map(\.planned), run: run))
    if !ends { events.removeLast() }
    return events
  }

  private let a = Sample.record("a")
  private let failed = Sample.record("b", .fail, reason: "no picture", failing: "play")

  private func again(_ verdict: Verdict = .pass, device: String = "emu-1", attempt: Int = 2) -> RunRecord {
    Sample.record("b", device: device, attempt: attempt, verdict, reason: "again")
  }

  @Test(arguments: ["emu-1", "emu-9"]) func failThenPassIsFlakyOnWhateverDevice(_ device: String) throws {
    let state = Sample.state(
      events("r1", [a, failed], [a, failed]) + events("r2", [failed], [again(device: device)]))
    #expect(state.units.map(\.caseID) == ["a", "b"])
    #expect(state.units.map(\.result) == [.pass, .flaky])
    #expect(state.units[1].attempts.map(\.record.attempt) == [1, 2])
    #expect(RunSummary(state).exitStatus == 1)
    let root = try checkedReport(JUnitReport.render(state))
    #expect(root.all("testsuite").count == 2)
    let text = try root.suite("b on emu-1").test("verdict").first("system-out")?.text ?? ""
    #expect(text.contains("attempt 2: pass: again"))
  }

  @Test(arguments: [Verdict.error, .inconclusive]) func whatProvedNothingMayBeRunAgain(_ verdict: Verdict) {
    let weak = Sample.record("b", verdict, reason: "no device")
    let once = events("r1", [weak], [weak])
    #expect(Sample.state(once).units.map(\.result) == [verdict == .error ? .error : .inconclusive])
    #expect(Sample.state(once + events("r2", [weak], [again()])).units.map(\.result) == [.pass])
    let failing = Sample.state(once + events("r2", [weak], [again(.fail)]) + events("r3", [weak], [again(attempt: 3)]))
    #expect(failing.units.map(\.result) == [.flaky])
    // Inside one run it still counts.
    #expect(Sample.state(events("r1", [weak], [weak, again()])).units[0].result != .pass)
  }

  @Test func aRunThatDiedIsGoneOnFrom() throws {
    var cut = events("r1", [a, failed], [a, failed], ends: false)
    // The record of `b` was never written.
    cut.removeLast()
    #expect(Sample.state(cut).units.map(\.result) == [.pass, .unfinished])
    let state = Sample.state(cut + events("r2", [failed], [again(device: "emu-9", attempt: 1)]))
    #expect(state.units.map(\.result) == [.pass, .pass])
    #expect(RunSummary(state).exitStatus == 0)
    // Not run again, it stays what it was.
    let other = Sample.state(cut + events("r2", [a], [Sample.record("a", attempt: 2)]))
    #expect(other.units.map(\.result) == [.pass, .unfinished])
  }

  @Test func aRepetitionThatWasCutIsRunAnewAsAWhole() {
    func attempt(_ n: Int, _ isFollowed: Bool) -> RunRecord {
      var record = Sample.record("b", attempt: n)
      record.isFollowed = isFollowed
      return record
    }
    let cut = events("r1", [attempt(1, true)], [attempt(1, true)], ends: false)
    #expect(Sample.state(cut).units.map(\.result) == [.unfinished])
    let state = Sample.state(cut + events("r2", [attempt(2, true)], [attempt(2, true), attempt(3, false)]))
    #expect(state.units.map(\.result) == [.pass])
    #expect(state.units[0].passRate.judged == 3)
  }

  @Test func theConsoleCountsTheCasesOfThisRun() {
    let earlier = Sample.state(events("r1", [a, failed], [a, failed]))
    var report = ConsoleReport(earlier: earlier)
    let text = events("r2", [failed], [again()]).map { report.apply($0) }.joined()
    #expect(text.hasPrefix("[1/1] PASS   b (attempt 2)"), "\(text)")
    #expect(report.finish(reports: nil).hasPrefix("2 cases: 1 passed, 1 flaky"))
    var lines = JSONLinesReport(earlier: earlier)
    let json = events("r2", [failed], [again()]).map { lines.apply($0) }
    #expect(json.last?.contains("\"exit\":1") == true, "\(json.last ?? "")")
    #expect(json.contains { $0.contains("\"attempts\":{\"count\":2") })
  }
}
