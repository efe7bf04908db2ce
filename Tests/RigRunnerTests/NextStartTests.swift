import RigDevice
import RigEmulator
import RigFlow
import RigModel
import RigRunner
import RigWire
import Testing

/// The last proof of a clean end: the device takes the next start. A case that leaves it dirty is to blame, not the next.
@Suite struct NextStartTests {
  private let dirty = FaultRequest(at: .cleanUp, do: "stays-busy")

  private func run(
    _ plans: [Plan], failFast: Bool = false, _ arrange: @escaping @Sendable (RunnerBench, Runner) -> Void = { _, _ in }
  ) throws -> RunLog {
    let cases = plans.enumerated().map { Cases.scheduled($1, seed: 42 + UInt64($0)) }
    return try Cases.run(cases, failFast: failFast) { bench, runner in
      bench.keepsDevice = true
      arrange(bench, runner)
    }.log
  }

  private func facts(_ log: RunLog, _ id: String) -> [FactKind] {
    log.entries(id).compactMap { if case .fact(let fact) = $0 { fact.kind } else { nil } }
  }

  @Test func aCleanDeviceTakesTheNextStart() throws {
    let log = try run([Cases.plan("first"), Cases.plan("last")])
    #expect(log.records.map(\.planned.id) == ["first", "last"])
    #expect(log.records.allSatisfy { $0.verdict == .pass })
    #expect(facts(log, "first").last == .nextStartAccepted)
    #expect(facts(log, "last").last == .nextStartAccepted)
    // By the next case, and by a probe where there is none.
    let details = log.records.map { record in
      log.entries(record.planned.id).compactMap { entry -> String? in
        if case .fact(let fact) = entry, fact.kind == .nextStartAccepted { fact.detail } else { nil }
      }
    }
    #expect(details == [["the start of last was accepted"], ["a probe start was accepted"]])
  }

  @Test func theCaseThatLeftTheDeviceBusyIsToBlameAndNotTheNext() throws {
    let log = try run([Cases.plan("dirty", faults: [dirty]), Cases.plan("next")])
    #expect(log.records.map(\.planned.id) == ["dirty", "next"])
    let record = try #require(log.records.first)
    #expect(record.verdict == .fail)
    #expect(record.failurePoint == FailurePoint(.cleanUp))
    #expect(record.stages.last?.outcome == .failed)
    #expect(record.reason.contains("busy") && record.reason.contains("agent reset"), "\(record.reason)")
    #expect(log.records.last?.verdict == .pass)
  }

  @Test func thePlanThatExpectsItPasses() throws {
    let plan = Cases.plan("dirty", faults: [dirty], failed: FailurePoint(.cleanUp), reached: .ended)
    for others in [[], [Cases.plan("next")]] {
      let log = try run([plan] + others)
      #expect(log.records.allSatisfy { $0.verdict == .pass }, "\(log.records.map(\.reason))")
      #expect(log.records.first?.faults.first?.fired == true)
    }
  }

  /// Without the fault nobody refuses, and an expected failure that does not come is no pass.
  @Test func theFaultCountsOnlyIfTheNextStartIsRefused() throws {
    let plan = Cases.plan("dirty", faults: [dirty], failed: FailurePoint(.cleanUp))
    let log = try run([plan, Cases.plan("next")]) { bench, _ in bench.ignoresInject = true }
    #expect(log.records.map(\.verdict) == [.error, .pass])
    #expect(log.records.first?.reason.contains("did not fire") == true)
  }

  /// A case between that never came to its start says nothing of the one before.
  @Test func aCaseThatDoesNotStartBlamesNobody() throws {
    let unable = Cases.plan("unable", needs: ["wings"])
    let log = try run([Cases.plan("dirty", faults: [dirty]), unable, Cases.plan("next")])
    let verdicts = Dictionary(uniqueKeysWithValues: log.records.map { ($0.planned.id, $0.verdict) })
    #expect(verdicts == ["dirty": .fail, "unable": .skip, "next": .pass])
  }

  /// It refuses before and after it was brought back: its own failure.
  @Test func aStartThatIsRefusedTwiceIsItsOwnFailure() throws {
    let params = StreamParameters(bitrate: BitRate(bitsPerSecond: 4_000_000), qualityFactor: 1, iFrameInterval: 200)
    let log = try run([Cases.plan("before"), Cases.plan("wrong", params: params)]) { bench, _ in
      // So that the harness does not refuse it before the device can.
      bench.profile.hidesRanges = true
    }
    let verdicts = Dictionary(uniqueKeysWithValues: log.records.map { ($0.planned.id, $0) })
    #expect(verdicts["before"]?.verdict == .pass)
    #expect(verdicts["wrong"]?.verdict == .fail)
    #expect(verdicts["wrong"]?.failurePoint == FailurePoint(.configureStream))
  }

  @Test func aDeviceThatCannotBeBroughtBackFailsTheCaseThatItRefuses() throws {
    let log = try run([Cases.plan("dirty", faults: [dirty]), Cases.plan("next")]) { bench, _ in
      bench.refusesReset = true
    }
    let next = try #require(log.records.first { $0.planned.id == "next" })
    #expect(next.verdict == .fail)
    #expect(next.failurePoint == FailurePoint(.configureStream))
    #expect(
      log.entries("next").contains { if case .note(let text) = $0 { text.contains("recovery failed") } else { false } })
    // The probe at the end still shows who left it so.
    let dirty = try #require(log.records.first { $0.planned.id == "dirty" })
    #expect(dirty.failurePoint == FailurePoint(.cleanUp))
  }

  @Test func failFastLearnsOfItBeforeTheNextCase() throws {
    let log = try run([Cases.plan("dirty", faults: [dirty]), Cases.plan("next")], failFast: true)
    #expect(log.records.map(\.planned.id) == ["dirty"])
    #expect(log.records.first?.failurePoint == FailurePoint(.cleanUp))
  }

  /// A device that got hot, or that lost a flow, says nothing of the case before.
  @Test(arguments: [StageLinkError.Code.notReady, .unsupported, .badParam, .version, .hardware])
  func aRefusalForAnotherReasonBlamesNobody(_ code: StageLinkError.Code) throws {
    let alone = try run([Cases.plan("first")]) { bench, _ in bench.refusesStarts = (1, code) }
    #expect(alone.records.map(\.verdict) == [.pass])
    #expect(
      alone.entries("first").contains {
        if case .note(let text) = $0 { text.contains(code.word) && text.contains("says nothing") } else { false }
      })
    // The next case answers for itself, and the device is not reset for it.
    let log = try run([Cases.plan("first"), Cases.plan("next")]) { bench, _ in bench.refusesStarts = (1, code) }
    #expect(log.records.first { $0.planned.id == "first" }?.verdict == .pass)
    #expect(log.records.first { $0.planned.id == "next" }?.failurePoint == FailurePoint(.configureStream))
    #expect(
      !log.entries("next").contains { if case .note(let text) = $0 { text.contains("recovery") } else { false } })
  }

  @Test(arguments: [StageLinkError.Code.busy, .badState])
  func aRefusalThatShowsSomethingLeftIsTheLastCasesDoing(_ code: StageLinkError.Code) throws {
    let log = try run([Cases.plan("first")]) { bench, _ in bench.refusesStarts = (1, code) }
    #expect(log.records.first?.failurePoint == FailurePoint(.cleanUp))
  }

  /// Whoever comes next asks the device what run it serves, and must not find the probe's.
  @Test func aProbeIsWaitedForUntilTheDeviceIsIdle() throws {
    let (log, _, took) = try Cases.run([Cases.scheduled(Cases.plan("first"))]) { bench, _ in
      bench.keepsDevice = true
      bench.profile.pace.stop = 3_000...3_000
    }
    #expect(log.records.map(\.verdict) == [.pass])
    let asked = try #require(log.events.compactMap(accepted).last)
    #expect(took - asked >= .seconds(3))
  }

  private func accepted(_ event: RunEvent) -> HostTime? {
    guard case .entry(_, let entry) = event, case .fact(let fact) = entry.what, fact.kind == .nextStartAccepted else {
      return nil
    }
    return fact.time
  }

  /// The device goes on with a probe though it was stopped: that is told, and not waited for without end.
  @Test func aProbeThatDoesNotEndIsWaitedForOnlySoLong() throws {
    let (log, _, took) = try Cases.run([Cases.scheduled(Cases.plan("first"))]) { bench, _ in
      bench.keepsDevice = true
      bench.wrapNextStart = { StoppedInVain(driver: $0) }
    }
    #expect(log.records.map(\.verdict) == [.pass])
    let details = log.entries("first").compactMap { if case .fact(let fact) = $0 { fact.detail } else { nil } }
    #expect(details.last == "a probe start was accepted; 10 s after its stop it had not ended", "\(details)")
    #expect(took < HostTime(nanoseconds: 40_000_000_000))
  }
}

/// Says that it stops a run, and goes on with it.
private struct StoppedInVain: DeviceDriver {
  let driver: any DeviceDriver
  func open(_ signal: @escaping @Sendable (DriverSignal) -> Void) async throws -> Hello {
    try await driver.open(signal)
  }
  func call(_ method: String, _ params: JSONValue, timeout: Duration) async throws -> JSONValue {
    if method == "stop" { return ["accepted": true] }
    return try await driver.call(method, params, timeout: timeout)
  }
  func close() async { await driver.close() }
  func clockError() async -> Duration? { await driver.clockError() }
  func damagedCount() async -> Int { await driver.damagedCount() }
}
