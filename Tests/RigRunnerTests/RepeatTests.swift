import RigEmulator
import RigLoop
import RigModel
import RigReport
import RigRunner
import RigTestSupport
import Testing

@Suite struct RepeatTests {
  private func records(
    _ repetition: Repetition, seed: UInt64 = 42, _ change: (inout Plan) -> Void = { _ in },
    _ arrange: @escaping @Sendable (RunnerBench, Runner) -> Void = { _, _ in }
  ) throws -> [RunRecord] {
    var plan = Cases.plan()
    plan.repetition = repetition
    change(&plan)
    return try Cases.run([Cases.scheduled(plan, seed: seed)], arrange).log.records
  }

  @Test func everyAttemptIsKept() throws {
    let records = try records(Repetition(.times(5)))
    #expect(records.map(\.attempt) == [1, 2, 3, 4, 5])
    #expect(records.map(\.isFollowed) == [true, true, true, true, false])
    #expect(records.allSatisfy { $0.verdict == .pass })
    #expect(Set(records.map(\.seed)).count == 5)
    #expect(records.first?.seed == 42)
    // An attempt repeats alike.
    #expect(try self.records(Repetition(.times(3))).map(\.seed) == records.prefix(3).map(\.seed))
  }

  @Test func aWhileEndsByTime() throws {
    let records = try records(Repetition(.duration(.seconds(60))))
    #expect(records.count > 5)
    let first = try #require(records.first)
    let last = try #require(records.last)
    #expect(last.started - first.started < .seconds(60))
    #expect(last.ended - first.started >= .seconds(60))
    #expect(!last.isFollowed)
  }

  @Test func theFirstFailureMayBeTheLast() throws {
    let failing = { (plan: inout Plan) in plan.faults = [FaultRequest(at: .enterLiveMode, do: "refuse")] }
    #expect(try records(Repetition(.times(5), endsAtFailure: true), failing).count == 1)
    #expect(try records(Repetition(.times(5)), failing).count == 5)
  }

  @Test func aRigThatDoesNotHoldEndsIt() throws {
    let records = try records(Repetition(.times(9))) { _ in
    } _: { bench, _ in
      bench.equipped = { [unowned bench] id in bench.openers[id]?.isUnplugged = true }
    }
    #expect(records.count == 3)
    #expect(records.last?.reason.hasSuffix("(error 3 in a row: the repetition ends)") == true)
    #expect(records.last?.isFollowed == false)
  }

  @Test func whatIsSkippedIsNotRepeated() throws {
    #expect(try records(Repetition(.times(9))) { $0.needs = ["teleport"] }.count == 1)
  }

  @Test func anInterruptedRepetitionIsNoPass() throws {
    var plan = Cases.plan()
    plan.repetition = Repetition(.times(50))
    let (log, _, _) = try Cases.run([Cases.scheduled(plan)]) { bench, runner in
      bench.loop.spawn {
        try await bench.loop.sleep(for: .seconds(60))
        await runner.interrupt("Ctrl-C")
      }
    }
    #expect(log.records.count < 50)
    var state = RunState()
    for event in log.events { state.apply(event) }
    #expect(state.units.map(\.result) == [.unfinished])
  }

  @Test func failFastWaitsForTheRepetition() throws {
    var plan = Cases.plan("first", faults: [FaultRequest(at: .enterLiveMode, do: "refuse")])
    plan.repetition = Repetition(.times(3))
    let (log, _, _) = try Cases.run(
      [Cases.scheduled(plan), Cases.scheduled(Cases.plan("second"))], failFast: true)
    #expect(log.records.map(\.planned.id) == ["first", "first", "first"])
  }

  // MARK: Quarantine

  private func quarantined(_ date: String, _ faults: [FaultRequest], failFast: Bool = false) throws -> [RunRecord] {
    var plan = Cases.plan("known", faults: faults)
    let until = try #require(CalendarDate("2027-01-31"))
    plan.quarantine = Quarantine(bug: "FW-123", owner: "team-fw", until: until)
    let today = try #require(CalendarDate(date))
    let cases = [Cases.scheduled(plan), Cases.scheduled(Cases.plan("next"))]
    let loop = VirtualLoop()
    let log = RunLog()
    let bench = RunnerBench(loop)
    try loop.run {
      let runner = Runner(
        loop, header: Cases.header(cases), cases: cases, bench: bench, jobs: 1, failFast: failFast, today: today
      ) { log.take($0) }
      await runner.run()
    }
    return log.records
  }

  private let refused = [FaultRequest(at: .enterLiveMode, do: "refuse")]

  @Test func itStillRunsAndKeepsItsVerdict() throws {
    let record = try #require(try quarantined("2027-01-31", refused).first)
    #expect(record.verdict == .fail)
    #expect(record.quarantine?.bug == "FW-123")
    #expect(try quarantined("2027-01-31", []).first?.verdict == .pass)
  }

  @Test(arguments: [true, false]) func onceItHasRunOutTheCaseIsAnError(_ fails: Bool) throws {
    let record = try #require(try quarantined("2027-02-01", fails ? refused : []).first)
    #expect(record.verdict == .error)
    #expect(record.quarantine == nil)
    #expect(
      record.reason.hasPrefix(
        "the quarantine FW-123 (team-fw, until 2027-01-31) has run out; without it: \(fails ? "fail" : "pass"): "),
      "\(record.reason)")
  }

  @Test func itIsNothingToFailFastFor() throws {
    #expect(try quarantined("2027-01-01", refused, failFast: true).count == 2)
  }

  // MARK: Measurements

  @Test func aLimitOnAStageTimeDecides() throws {
    func record(_ most: Double, marginal: Double? = nil) throws -> RunRecord {
      var plan = Cases.plan()
      plan.measure = [
        MeasureLimit(
          "time-to-active", [.init(.max, .init(most, "\(most) s"))], marginal: marginal.map { .init($0, "m") })
      ]
      return try Cases.record(plan)
    }
    #expect(try record(60).verdict == .pass)
    let near = try record(60, marginal: 0.1)
    #expect(near.verdict == .pass)
    #expect(near.measures.map(\.outcome) == [.marginal])
    #expect(near.reason.contains("marginal"))
    let over = try record(0.1)
    #expect(over.verdict == .fail)
    #expect(over.failurePoint == FailurePoint(.startSession))
    #expect(over.reason.contains("limit max 0.1 s (source: stage times)"), "\(over.reason)")
  }

  @Test func whatCannotBeMeasuredIsInconclusive() throws {
    var plan = Cases.plan()
    plan.measure = [MeasureLimit("rtp.loss", [.init(.max, .init(1, "1 %"))])]
    let record = try Cases.record(plan)
    #expect(record.verdict == .inconclusive)
    #expect(record.reason == "rtp.loss was not measured: virtual time (limit: max 1 %)")
    var failing = Cases.plan(
      faults: [FaultRequest(at: .enterLiveMode, do: "refuse")], failed: FailurePoint(.enterLiveMode))
    failing.measure = [MeasureLimit("time-to-active", [.init(.max, .init(60, "60 s"))])]
    #expect(try Cases.record(failing).verdict == .inconclusive)
  }
}
