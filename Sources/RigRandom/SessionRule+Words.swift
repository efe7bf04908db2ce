import RigFlow
import RigModel

/// What failures say of themselves.
extension SessionRule {
  static let words: [SessionRule] = [
    SessionRule("blame", "a preflight, a lost link and an abort are the rig's; every other failure the subject's") {
      c in
      guard let failure = c.trace.failure else { return nil }
      if failure.reason.isEmpty { return "\(failure.point) has no reason" }
      let isRigs = failure.point == FailurePoint(.preflight) || [.rig, .controlLink].contains(failure.point)
      // A reboot in the preflight is no precondition.
      guard (failure.blame == .rig) == isRigs else { return "\(failure.point) blames the \(failure.blame.rawValue)" }
      return nil
    }
  ]
}
