/// The result of a case.
public enum Verdict: String, CaseIterable, Sendable {
  case pass
  /// The subject's fault.
  case fail
  /// The rig's fault, a precondition, or a fault that did not fire.
  case error
  /// The evidence is too weak for a verdict.
  case inconclusive
  case skip
}

/// How one stage of a session ended.
public enum StageOutcome: String, CaseIterable, Sendable {
  case passed
  case failed
  /// Never began: an earlier stage failed.
  case blocked
  /// Began and had not ended when the run did.
  case unfinished
  /// Not part of this run (`--simulate`, `--no-capture`), with a reason.
  case skipped
  /// Evidence too weak, for instance a limit inside the clock's error.
  case inconclusive
}
