import RigFlow
import RigModel
import RigRunner
import Testing

@Suite struct FaultTableTests {
  /// The table names each fault of the catalog at each of its stages, and nothing else. `stays-busy` needs a device that
  /// outlives its case: `NextStartTests`. What needs a bus is tried on one: `RigUSBTests`.
  @Test func theTableCoversTheCatalog() {
    let catalog = FaultCatalog.all.filter { !$0.needsWire && $0.capability == nil && $0.verb != "stays-busy" }.flatMap {
      definition in
      (definition.stages[.rtspHotspot] ?? []).map { "\(definition.verb) at \($0)" }
    }
    #expect(FaultRow.all.map(\.description).sorted() == catalog.sorted())
  }

  /// Catalog and table are written apart from each other, and must agree.
  @Test(arguments: FaultRow.all) func theCatalogLeadsToTheSame(_ row: FaultRow) throws {
    let definition = try #require(FaultCatalog.definition(row.verb, at: row.stage, in: .rtspHotspot))
    #expect(definition.blame(at: row.stage) == row.fails)
  }

  @Test(arguments: FaultRow.all) func theExpectedFailurePasses(_ row: FaultRow) throws {
    for seed in [1, 42] as [UInt64] {
      let record = try Cases.record(row.plan(expecting: row.fails, reached: row.reached), seed: seed)
      #expect(record.verdict == .pass, "\(record.reason)")
      #expect(record.failurePoint == row.fails)
      if let reached = row.reached { #expect(record.reached == reached) }
      #expect(record.faults.map(\.fired) == [true], "\(record.faults.map(\.proof))")
      let expected = record.stages.filter(\.expectedToFail).map(\.id)
      let isStage = record.stages.contains { $0.id == row.fails?.name }
      #expect(expected == (isStage ? [row.fails?.name] : []))
    }
  }

  /// A device that says yes to `inject` and does nothing must never give a pass: the proof is not the device's word.
  @Test(arguments: FaultRow.all) func aFaultThatIsNotThereIsAnError(_ row: FaultRow) throws {
    for expectation in [row.fails, nil] {
      let record = try Cases.record(row.plan(expecting: expectation)) { bench, _ in bench.ignoresInject = true }
      #expect(record.verdict == .error, "\(record.reason)")
      #expect(record.reason.contains("\(row) did not fire"), "\(record.reason)")
      #expect(record.faults.map(\.fired) == [false])
    }
  }

  @Test(arguments: FaultRow.all) func aWrongExpectationNamesBoth(_ row: FaultRow) throws {
    let wrong = FailurePoint(row.fails == FailurePoint(.play) ? .running : .play)
    let record = try Cases.record(row.plan(expecting: wrong))
    #expect(record.verdict == (row.isRigs ? .error : .fail), "\(record.reason)")
    #expect(record.failurePoint == row.fails)
    #expect(record.reason.contains("expected a failure at \(wrong)"), "\(record.reason)")
    #expect(record.reason.contains(row.fails.map { "failed at \($0)" } ?? "succeeded"), "\(record.reason)")
  }

  /// The same fault where a success was expected.
  @Test(arguments: FaultRow.all.filter { $0.fails != nil }) func anUnexpectedFailureIsNoPass(_ row: FaultRow) throws {
    let record = try Cases.record(row.plan(expecting: nil))
    #expect(record.verdict == (row.isRigs ? .error : .fail), "\(record.reason)")
    #expect(record.failurePoint == row.fails)
  }

  @Test(arguments: FaultRow.all) func theSameSeedGivesTheSameJournal(_ row: FaultRow) throws {
    let scheduled = Cases.scheduled(row.plan(expecting: row.fails), seed: 9)
    let first = try Cases.run([scheduled]).log.journal
    #expect(first.count > 5)
    #expect(try Cases.run([scheduled]).log.journal == first)
  }

  /// After every fault the device is idle and clean again, unless the fault was to leave it otherwise.
  @Test(arguments: FaultRow.all) func theStagesOfARecordAddUp(_ row: FaultRow) throws {
    let record = try Cases.record(row.plan(expecting: row.fails))
    #expect(record.stages.map(\.id) == Flow.rtspHotspot.stages.map(\.id.rawValue))
    #expect(!record.stages.contains { $0.outcome == .unfinished })
    for stage in record.stages {
      if let began = stage.began, let ended = stage.ended { #expect(began <= ended) }
      if stage.outcome == .passed { #expect(stage.began != nil && stage.ended != nil) }
      if stage.outcome == .failed { #expect(!stage.reason.isEmpty) }
    }
    let failed = record.stages.filter { $0.outcome == .failed }.map(\.id)
    #expect(failed.count <= 1, "\(failed)")
  }
}
