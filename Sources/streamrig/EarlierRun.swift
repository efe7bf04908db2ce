import RigLoop
import RigModel
import RigPlan
import RigReport
import RigRunner

/// The run that left its journal in a reports folder, whole or cut short: what `--rerun-failed` goes on from.
struct EarlierRun {
  let state: RunState
  let header: RunHeader
  /// Cases that did not pass, with the number of attempts that were made.
  private let again: [String: Int]

  /// - Throws: `UsageError` where there is no such journal.
  init(reports: String) throws(UsageError) {
    let path = "\(reports)/journal.jsonl"
    switch PlanFiles.contents(path, limit: 1 << 31) {
    case .failure(let error):
      throw UsageError(
        description: "--rerun-failed: no earlier run in \(PrintableText.quote(reports)): \(error.reason)")
    case .success(let bytes):
      state = RunState(journal: bytes)
      guard let header = state.header else {
        throw UsageError(description: "--rerun-failed: \(PrintableText.quote(path)) is not the journal of a run")
      }
      self.header = header
    }
    var again: [String: Int] = [:]
    for unit in state.units {
      switch unit.result {
      case .pass, .skip, .quarantined: break
      case .fail, .flaky, .error, .inconclusive, .unfinished, .notStarted:
        let made = unit.attempts.map(\.record.attempt).max() ?? 0
        again[unit.caseID] = max(made, again[unit.caseID] ?? 0)
      }
    }
    self.again = again
  }

  var isAllPassed: Bool { again.isEmpty }

  /// The plan files of the run, each once.
  var files: [String] {
    var seen: Set<String> = []
    return header.cases.map(\.file).filter { seen.insert($0).inserted }
  }

  /// The cases that did not pass, each with the number of its next attempt. Names on standard error those that the selected plans
  /// no longer hold: they stay as they are.
  func narrow(_ cases: [ScheduledCase]) -> [ScheduledCase] {
    let known = Set(cases.map(\.planned.id))
    for planned in header.cases where again[planned.id] != nil && !known.contains(planned.id) {
      Output.complain(
        "--rerun-failed: \(PrintableText.cut(planned.id, to: 200)) is not among the selected plans: not run again")
    }
    return cases.compactMap { scheduled in
      guard let made = again[scheduled.planned.id] else { return nil }
      var scheduled = scheduled
      scheduled.attempt = made + 1
      return scheduled
    }
  }
}
