import RigModel

extension Session {
  /// The device did not take the next start: clean-up was not what it seemed. To be called on a session that is over.
  public mutating func nextStartRefused(_ reason: String) {
    guard isOver, let i = index(of: .cleanUp) else { return }
    if stages[i].outcome != .failed {
      stages[i].outcome = .failed
      stages[i].reason = reason
    }
    if failure == nil { failure = Failure(point: FailurePoint(.cleanUp), reason: reason, blame: .subject) }
  }
}
