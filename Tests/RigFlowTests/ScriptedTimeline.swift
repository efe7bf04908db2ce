import RigFlow
import RigModel

extension TimelineEntry.What {
  /// What a run writes into its timeline for an action of the session; `nil`: nothing.
  init?(_ action: Session.Action, isCleaning: Bool) {
    switch action {
    case .stageBegan(let id, let deadline): self = .stageBegan(id, deadline: deadline)
    case .stageEnded(let id, let outcome, let reason): self = .stageEnded(id, outcome, reason: reason)
    case .gate(let gate): self = .gate(gate)
    case .sendStart: self = .action(HarnessAction.start)
    case .sendStop: self = .action(isCleaning ? HarnessAction.stopAsCleanUp : HarnessAction.stop)
    case .openMedia(let url): self = .action(HarnessAction.open(url))
    case .closeMedia: self = .action(HarnessAction.closeMedia)
    default: return nil
    }
  }
}

extension ScriptedSession {
  /// Plays a step, and gives what a run would write into its timeline meanwhile: what is observed before what follows.
  mutating func entries(of step: Step, at ms: Int) -> [TimelineEntry] {
    var out: [TimelineEntry] = []
    var from = log.count
    advance(to: ms)
    out += written(from: from)
    switch step {
    case .event(let name, let data, let run, _, _):
      let event = DeviceEvent(
        received: now, sequence: 0, boot: "b", run: run, name: name, source: "device", data: data)
      out.append(TimelineEntry(now, .event(event)))
    case .fact(let kind, let detail):
      out.append(TimelineEntry(now, .fact(Fact(kind, by: .link, at: now, detail: detail))))
    default: break
    }
    from = log.count
    play(step, at: ms)
    return out + written(from: from)
  }

  private func written(from: Int) -> [TimelineEntry] {
    // Many deadlines may have passed by now: whether a stop was clean-up is a matter of what came before it.
    var isCleaning = log[..<from].contains { $0.action == .closeMedia }
    return log[from...].compactMap { time, action in
      if action == .closeMedia { isCleaning = true }
      return TimelineEntry.What(action, isCleaning: isCleaning).map { TimelineEntry(time, $0) }
    }
  }

  static func timeline(_ script: [(Int, Step)], limits: [String: Duration] = [:]) -> [TimelineEntry] {
    var s = ScriptedSession(limits: limits)
    return script.flatMap { ms, step in s.entries(of: step, at: ms) }
  }
}
