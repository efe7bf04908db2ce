import RigFlow
import RigModel

/// How sessions end, and that they do.
extension SessionRule {
  static let endings: [SessionRule] = [
    SessionRule("always-ends", "every session ends once time has gone far enough") { c in
      if c.trace.isStuck { return "a deadline stays due for ever" }
      return c.trace.isOver ? nil : "it never ends"
    },
    SessionRule("finished-once", "finished comes exactly once, and last") { c in
      let all = c.moments.flatMap(\.actions)
      let count = all.count { $0 == .finished }
      guard c.trace.isOver else { return count == 0 ? nil : "finished, and not over" }
      if count != 1 { return "finished came \(count) times" }
      return all.last == .finished ? nil : "finished is not the last"
    },
    SessionRule("ended-once", "the player is released exactly once") { c in
      let count = c.count(.closeMedia)
      return c.trace.isOver && count != 1 ? "the player was closed \(count) times" : nil
    },
    SessionRule("start-once", "one start at most, and only after a good preflight") { c in
      guard c.count(.sendStart) <= 1 else { return "two starts" }
      guard let started = c.started else { return nil }
      return c.moments[...started].contains { $0.input == .preflightPassed } ? nil : "a start without a preflight"
    },
    SessionRule("cleaned-up", "what was started is stopped and proven clean; what was not is left alone") { c in
      guard c.trace.isOver, let ended = c.ended else { return nil }
      let isRefused = c.moments.indices.contains { i in
        if case .startRefused = c.moments[i].input { c.fails(.configureStream, in: i) } else { false }
      }
      let proofs = c.count(.proveClean)
      let stops = c.moments.indices.flatMap { i in c.moments[i].actions.filter { $0 == .sendStop }.map { _ in i } }
      guard c.started != nil, !isRefused else {
        return proofs == 0 && stops.isEmpty ? nil : "nothing was started, and it was cleaned up"
      }
      if proofs != 1 { return "clean-up was proven \(proofs) times" }
      if c.began[.cleanUp] == nil { return "clean-up never began" }
      let isFinished = c.hadEvent("sessionFinish", until: ended)
      let asCleanUp = stops.contains(ended) && c.stoppedAsCleanUp(ended) ? 1 : 0
      return asCleanUp == (isFinished ? 0 : 1) ? nil : "\(asCleanUp) stops as clean-up, sessionFinish: \(isFinished)"
    },
    SessionRule("success-is-earned", "a session without a failure passed each stage and was stopped by the plan") { c in
      guard c.trace.isOver, c.trace.failure == nil else { return nil }
      for stage in Flow.rtspHotspot.stages where c.passed(stage.id) == nil { return "\(stage.id) did not pass" }
      guard let stop = c.moments.firstIndex(where: { $0.actions.contains(.sendStop) }), let ended = c.ended else {
        return "no stop was sent"
      }
      let isToldApart =
        stop < ended
        && (stop + 1...ended).contains { i in
          c.ownEvent(i).map { $0.name == "sessionFinish" && $0.data["userStopped"]?.bool == true } ?? false
        }
      if !isToldApart { return "it succeeded without a finish by user stop" }
      for kind in [FactKind.portClosed, .wireQuiet, .hotspotGone]
      where !c.hadFact(kind, after: ended, until: c.moments.count - 1) {
        return "it succeeded without \(kind.rawValue) after the end"
      }
      return c.trace.reached == .ended ? nil : "it succeeded at gate \(c.trace.reached.map { "\($0)" } ?? "none")"
    },
    SessionRule("healthy-succeeds", "a session in which nothing deviates succeeds") { c in
      guard c.trace.sequence.isHealthy, let failure = c.trace.failure else { return nil }
      return "it failed at \(failure.point): \(failure.reason)"
    },
  ]
}
