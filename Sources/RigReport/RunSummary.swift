/// Counts by result, and the exit status that follows from them.
public struct RunSummary: Hashable, Sendable {
  public private(set) var counts: [CaseResult: Int] = [:]
  /// No run of them is still going, killed, or interrupted.
  public private(set) var complete = true
  public private(set) var interrupted = false
  /// Cases in quarantine that passed.
  public private(set) var unexpectedPasses = 0

  public init(_ runs: [RunState]) {
    for run in runs {
      for unit in run.units {
        counts[unit.result, default: 0] += 1
        if unit.isUnexpectedPass { unexpectedPasses += 1 }
      }
      interrupted = interrupted || run.interrupted
      complete = complete && run.ended != nil && !run.interrupted && run.damagedLines == 0
    }
  }

  public init(_ run: RunState) { self.init([run]) }

  public subscript(result: CaseResult) -> Int { counts[result] ?? 0 }
  public var total: Int { counts.values.reduce(0, +) }

  /// 130 interrupted; else 1 any fail or flaky; else 3 any error or inconclusive, a run that did not end, or a case that
  /// never started; else 4 nothing ran; else 0. A case in quarantine does not count. (2, bad usage or plan, is decided before a run.)
  public var exitStatus: Int32 {
    if interrupted { return 130 }
    if self[.fail] + self[.flaky] > 0 { return 1 }
    let broken = self[.error] + self[.inconclusive] + self[.unfinished] + self[.notStarted]
    if broken > 0 || !complete { return 3 }
    return self[.pass] + self[.quarantined] == 0 ? 4 : 0
  }

  /// `24 cases: 20 passed, 2 failed, 1 error, 1 skipped`
  public var text: String {
    let words: [(CaseResult, String)] = [
      (.pass, "passed"), (.fail, "failed"), (.flaky, "flaky"), (.error, self[.error] == 1 ? "error" : "errors"),
      (.inconclusive, "inconclusive"), (.unfinished, "unfinished"), (.skip, "skipped"), (.quarantined, "in quarantine"),
      (.notStarted, "not started"),
    ]
    let parts = words.filter { self[$0.0] > 0 }.map { "\(self[$0.0]) \($0.1)" }
    return "\(total) \(total == 1 ? "case" : "cases")" + (parts.isEmpty ? "" : ": " + parts.joined(separator: ", "))
  }
}
