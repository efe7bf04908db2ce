import RigLoop
import RigModel
import RigRunner
import RigTestSupport
import Testing

/// A rig's devices are workers: each takes only what its device can run.
@Suite struct RigWorkerTests {
  private func cases(_ workers: [Set<Int>?]) -> [ScheduledCase] {
    workers.enumerated().map { index, workers in
      var scheduled = Cases.scheduled(Cases.plan("c\(index)"), seed: 42 + UInt64(index))
      scheduled.workers = workers
      return scheduled
    }
  }

  @Test func aCaseGoesToADeviceThatCanRunIt() throws {
    let run = try Cases.run(cases([[1], [0, 2], [2], [1], nil]), jobs: 3)
    #expect(run.log.records.count == 5)
    #expect(run.log.records.allSatisfy { $0.verdict == .pass })
    #expect(run.bench.workers["c0"] == 1)
    #expect(run.bench.workers["c1"] == 0)
    #expect(run.bench.workers["c2"] == 2)
    #expect(run.bench.workers["c3"] == 1)
  }

  @Test func aDeviceThatTheCasesDoNotNeedRunsNothing() throws {
    let run = try Cases.run(cases([[2]]), jobs: 3)
    #expect(run.bench.workers == ["c0": 2])
    #expect(run.log.records.map(\.verdict) == [.pass])
  }

  @Test func theCasesOfAQuarantinedDeviceGoToAnother() throws {
    let run = try Cases.run(cases([[0, 1], [0, 1], [0]]), jobs: 2) { bench, _ in
      bench.unfit = [0: "cam is quarantined for this run: no answer"]
    }
    let records = Dictionary(uniqueKeysWithValues: run.log.records.map { ($0.planned.id, $0) })
    #expect(records.count == 3)
    #expect(records["c0"]?.verdict == .pass)
    #expect(records["c1"]?.verdict == .pass)
    #expect(run.bench.workers == ["c0": 1, "c1": 1])
    let alone = try #require(records["c2"])
    #expect(alone.verdict == .error)
    #expect(alone.failurePoint == .rig)
    #expect(alone.reason == "precondition: cam is quarantined for this run: no answer")
  }

  /// The other device had nothing left to do when the case came back.
  @Test func aDeviceThatHadFinishedTakesWhatIsHandedBack() throws {
    let run = try Cases.run(cases([[0, 1]]), jobs: 2) { bench, _ in bench.unfit = [0: "gone"] }
    #expect(run.log.records.map(\.verdict) == [.pass])
    #expect(run.bench.workers == ["c0": 1])
  }

  @Test func withoutAnyDeviceEachCaseIsAnError() throws {
    let run = try Cases.run(cases([[0, 1], [1]]), jobs: 2) { bench, _ in bench.unfit = [0: "a is gone", 1: "b is gone"]
    }
    #expect(run.log.records.map(\.verdict) == [.error, .error])
    #expect(
      Set(run.log.records.map(\.reason)) == ["precondition: a is gone; b is gone", "precondition: b is gone"])
  }

  /// What was done to the device stands in the timeline and in the record.
  @Test func preparationsAreTold() throws {
    let run = try Cases.run(cases([nil])) { bench, _ in
      bench.preparations = [.init("recovery.step", "power: boot a became b")]
    }
    let record = try #require(run.log.records.first)
    #expect(record.properties.contains(.init("recovery.step", "power: boot a became b")))
    let notes = run.log.entries("c0").compactMap { if case .note(let text) = $0 { text } else { nil } }
    #expect(notes.first == "recovery.step: power: boot a became b")
  }
}

/// A control link that is gone when a case ends must not cost the next case its device.
@Suite struct LostControlTests {
  private func lose() throws -> (notes: [String], records: [RunRecord]) {
    let run = try Cases.run([Cases.scheduled(Cases.plan("lost"))]) { bench, _ in
      bench.keepsDevice = true
      bench.recoversLostControl = true
      bench.equipped = { id in
        _ = bench.loop.schedule(at: bench.loop.now + .seconds(1)) {
          bench.openers[id]?.isUnplugged = true
          bench.openers[id]?.cut()
        }
      }
    }
    let notes = run.log.entries("lost").compactMap { if case .note(let text) = $0 { text } else { nil } }
    return (notes, run.log.records)
  }

  @Test func whatWasTriedIsTold() throws {
    let lost = try lose()
    let record = try #require(lost.records.first)
    #expect(record.verdict == .error)
    let text = "the control link was lost; recovery failed: agent reset: "
    #expect(lost.notes.contains { $0.hasPrefix("recovery: \(text)") }, "\(lost.notes)")
    #expect(record.properties.contains { $0.name == "recovery" && $0.value.hasPrefix(text) }, "\(record.properties)")
  }
}
