import RigFlow
import RigModel

/// Beginnings, ends, failures and limits of stages.
extension SessionRule {
  static let stages: [SessionRule] = [
    SessionRule("stage-once", "a stage begins once and ends once") { c in
      var begun: Set<StageID> = []
      for moment in c.moments {
        for case .stageBegan(let id, _) in moment.actions where !begun.insert(id).inserted {
          return "\(id) began twice"
        }
      }
      var over: [StageID: StageOutcome] = [:]
      for end in c.ends {
        if let before = over[end.stage] {
          // Only an address that was accepted may turn out to lead nowhere.
          let isWithdrawn =
            end.stage == .receiveAddress && before != .failed && end.outcome == .failed
            && c.fact(end.moment) == .mediaUnreachable
          if !isWithdrawn { return "\(end.stage) ended twice" }
        }
        if end.outcome != .failed, c.began[end.stage] == nil { return "\(end.stage) ended and never began" }
        over[end.stage] = end.outcome
      }
      return nil
    },
    SessionRule("failure-is-terminal", "after a failed stage, and after the end, no stage begins but clean-up") { c in
      var isOver = false
      for moment in c.moments {
        for action in moment.actions {
          switch action {
          case .stageEnded(_, .failed, _), .closeMedia: isOver = true
          case .stageBegan(let id, _) where isOver && id != .cleanUp: return "\(id) began after the end"
          case .stageEnded(let id, .passed, _) where isOver && id != .cleanUp: return "\(id) passed after the end"
          case .sendStart where isOver, .openMedia where isOver, .join where isOver, .proveLink where isOver:
            return "\(action) after the end"
          case .gate(let gate) where isOver && gate != .ended: return "gate \(gate) after the end"
          default: break
          }
        }
      }
      return nil
    },
    SessionRule("failure-point", "the first failed stage is the failure point") { c in
      guard let failed = c.ends.first(where: { $0.outcome == .failed }) else {
        guard let point = c.trace.failure?.point else { return nil }
        return FailurePoint.beyondStages.contains(point) ? nil : "it is \(point), and no stage failed"
      }
      guard let point = c.trace.failure?.point else { return "\(failed.stage) failed, and there is no failure" }
      if FailurePoint.beyondStages.contains(point) {
        return failed.stage == .cleanUp ? nil : "\(failed.stage) failed, and it is \(point)"
      }
      return point == FailurePoint(failed.stage) ? nil : "\(failed.stage) failed first, and it is \(point)"
    },
    SessionRule("failed-at-once", "what fails a stage fails it at once") { c in
      for (i, moment) in c.moments.enumerated() where c.isDriven(i) {
        if let how = SessionRule.missedFailure(c, i) { return "\(moment.time): \(how)" }
      }
      return nil
    },
    SessionRule("limits", "no stage outlives its limit, unless the control link was lost meanwhile") { c in
      let isLinkLost = c.moments.contains { if case .controlLost = $0.input { true } else { false } }
      guard !isLinkLost else { return nil }
      for (stage, start) in c.began {
        guard let deadline = start.deadline else { continue }
        let end = c.ends.first { $0.stage == stage }
        guard let end else { return c.trace.isOver && stage != .cleanUp ? "\(stage) never ended" : nil }
        if c.moments[end.moment].time > deadline { return "\(stage) ended after its limit" }
        if deadline < c.moments[start.moment].time { return "\(stage) began with a deadline in the past" }
      }
      return nil
    },
    SessionRule("gates", "each gate opens once, none before those that it rests on") { c in
      var open: [Gate] = []
      let rests: [Gate: [Gate]] = [.active: [.ready, .address, .media], .media: [.address], .ended: [.active]]
      for moment in c.moments {
        for case .gate(let gate) in moment.actions {
          if open.contains(gate) { return "\(gate) opened twice" }
          if let missing = rests[gate]?.first(where: { !open.contains($0) }) { return "\(gate) before \(missing)" }
          open.append(gate)
        }
      }
      return nil
    },
  ]

  /// Completion events of `rtsp-hotspot` that carry `success`.
  private static let completions: [String: StageID] = [
    "hotspotConfigureCompletion": .configureHotspot, "enterLiveStreamingModeCompleted": .enterLiveMode,
    "deviceHotspotConnectCompletion": .connectHotspot, "sessionStartCompletion": .startSession,
  ]

  /// A moment that must end the session and does not.
  private static func missedFailure(_ c: SessionRuleContext, _ i: Int) -> String? {
    let ends = c.moments[i].actions.contains(.closeMedia)
    switch c.moments[i].input {
    case .event:
      guard let started = c.started, started < i, let event = c.ownEvent(i) else { return nil }
      if let stage = completions[event.name], event.data["success"]?.bool != true, !c.isOverFor(stage, i) {
        return c.fails(stage, in: i) ? nil : "\(event.name) reported no success, and \(stage) did not fail"
      }
      return event.name == "sessionFinish" && !ends ? "sessionFinish came, and the session went on" : nil
    case .rebooted: return ends ? nil : "the device rebooted, and the session went on"
    case .abort: return ends ? nil : "it was aborted, and went on"
    case .preflightFailed:
      return ends || c.isOverFor(.preflight, i) ? nil : "the preflight failed, and the session went on"
    case .fact(let fact):
      let mustEnd: Bool =
        switch fact.kind {
        case .linkNotJoined: c.isRunning(.connectHotspot, i)
        case .linkLost: (c.passed(.connectHotspot) ?? .max) < i && !c.isRunning(.finish, i)
        case .mediaFailed, .mediaEnded, .mediaUnreachable: c.isRunning(.play, i)
        case .mediaGap: c.isRunning(.running, i)
        default: false
        }
      return mustEnd && !ends ? "\(fact.kind.rawValue), and the session went on" : nil
    default: return nil
    }
  }
}
