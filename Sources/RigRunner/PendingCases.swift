import RigModel

/// Cases of one device whose clean-up waits for its last proof: that the device takes the next start.
struct PendingCases {
  private(set) var runs: [CaseRun] = []

  mutating func add(_ run: CaseRun) { runs.append(run) }

  /// Everything is said: each gets the fact that concerns it.
  /// - Parameters:
  ///   - fact: an accepted or a refused next start; `nil`: it could not be tried.
  ///   - owner: the run that the device says it still serves.
  /// - Returns: the records, in the order of the cases.
  func settle(_ fact: Fact?, owner: String? = nil) async -> [RunRecord] {
    var culprit: Int?
    if fact?.kind == .nextStartRefused {
      culprit = runs.firstIndex { owner != nil && $0.run == owner } ?? runs.indices.last
    }
    var records: [RunRecord] = []
    for (i, run) in runs.enumerated() {
      // A refusal is one case's doing; of those before it nothing is known.
      records.append(await run.settle(culprit == nil || culprit == i ? fact : nil))
    }
    return records
  }
}
