import RigFlow
import RigModel
import RigRunner
import Testing

/// What happens at moments of a session, in virtual time.
@Suite struct ActionTests {
  private func run(
    _ change: (inout Plan) -> Void, _ arrange: @escaping @Sendable (RunnerBench, Runner) -> Void = { _, _ in }
  ) throws -> (record: RunRecord, entries: [TimelineEntry]) {
    var plan = Cases.plan()
    change(&plan)
    let log = try Cases.run([Cases.scheduled(plan)], arrange).log
    let entries = log.events.compactMap { event -> TimelineEntry? in
      if case .entry(_, let entry) = event { entry } else { nil }
    }
    return (try #require(log.records.first), entries)
  }

  private func time(_ entries: [TimelineEntry], _ what: (TimelineEntry.What) -> Bool) -> HostTime? {
    entries.first { what($0.what) }?.time
  }

  private func began(_ entries: [TimelineEntry], _ stage: StageID) -> HostTime? {
    time(entries) { if case .stageBegan(stage, _) = $0 { true } else { false } }
  }

  @Test(arguments: [Moment.Anchor.gate(.active), .stage(.running)])
  func theUserStopsAtAMoment(_ anchor: Moment.Anchor) throws {
    let (record, entries) = try run {
      $0.playFor = .seconds(1)
      $0.stop = Moment(anchor, offset: .seconds(7))
    }
    #expect(record.verdict == .pass, "\(record.reason)")
    let running = try #require(began(entries, .running))
    let finish = try #require(began(entries, .finish))
    #expect(finish - running == .seconds(7))
  }

  @Test func aStopBeforeActiveEndsTheStageThatRuns() throws {
    let stop = { (plan: inout Plan) in plan.stop = Moment(.stage(.connectHotspot), offset: .milliseconds(100)) }
    let (record, entries) = try run(stop)
    #expect(record.verdict == .fail)
    #expect(record.failurePoint == FailurePoint(.connectHotspot), "\(record.reason)")
    #expect(entries.contains { $0.what == .action(HarnessAction.stop) })
    #expect(record.stages.last?.outcome == .passed, "the device cleans up")
    let expected = try run {
      stop(&$0)
      $0.expect.failed = FailurePoint(.connectHotspot)
    }
    #expect(expected.record.verdict == .pass, "\(expected.record.reason)")
  }

  @Test func aStopThatNeverComesChangesNothing() throws {
    let (record, _) = try run {
      $0.faults = [FaultRequest(at: .enterLiveMode, do: "refuse")]
      $0.expect.failed = FailurePoint(.enterLiveMode)
      $0.stop = Moment(.stage(.running), offset: .seconds(1))
    }
    #expect(record.verdict == .pass, "\(record.reason)")
  }

  @Test func aFaultIsArmedAtItsMoment() throws {
    let fault = FaultRequest(
      at: .startSession, do: "refuse", moment: Moment(.stage(.connectHotspot), offset: .milliseconds(50)))
    let (record, entries) = try run {
      $0.faults = [fault]
      $0.expect.failed = FailurePoint(.startSession)
    }
    #expect(record.verdict == .pass, "\(record.reason)")
    #expect(record.faults.map(\.fired) == [true])
    #expect(record.faults.map(\.text) == ["refuse at connect-hotspot + 50 ms"])
    let join = try #require(began(entries, .connectHotspot))
    let armed = try #require(time(entries) { if case .faultArmed = $0 { true } else { false } })
    #expect(armed - join >= .milliseconds(50) && armed - join < .milliseconds(60))
  }

  /// What the device did before the moment proves nothing of the fault.
  @Test func aFaultWhoseMomentNeverCameDidNotFire() throws {
    let (record, _) = try run {
      $0.faults = [
        FaultRequest(at: .enterLiveMode, do: "refuse"),
        FaultRequest(at: .enterLiveMode, do: "refuse", moment: Moment(.stage(.running), offset: .seconds(5))),
      ]
      $0.expect.failed = FailurePoint(.enterLiveMode)
    }
    #expect(record.faults.map(\.fired) == [true, false])
    #expect(record.faults.last?.proof == "its moment, running + 5 s, never came")
    #expect(record.verdict == .error)
  }

  @Test func aLinkThatCannotBeImpairedIsTheRigs() throws {
    let (record, _) = try run {
      $0.playFor = .seconds(5)
      $0.faults = [
        FaultRequest(
          at: .running, do: "drop-link", arguments: ["for": .duration(.seconds(1))],
          moment: Moment(.gate(.active), offset: .seconds(1)))
      ]
    }
    #expect(record.verdict == .error)
    #expect(record.reason.contains("drop-link at active + 1 s"), "\(record.reason)")
  }
}
