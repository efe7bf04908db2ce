import RigFlow
import RigModel

/// `flow.other-run`: events of another run never advance this one.
struct OtherRunCheck: FlowCheck {
  static let info = FlowCheckCatalog.rule(
    "flow.other-run", "events carry the id of the run they belong to; another run's never advance this one", .warning)
  private let context: FlowContext
  private var findings: [Finding] = []
  private var lastForeign: String?

  init(_ context: FlowContext) { self.context = context }

  mutating func see(_ entry: TimelineEntry) {
    switch entry.what {
    case .event(let event):
      guard !event.isClaim, let run = event.run, run != context.run else {
        lastForeign = nil
        return
      }
      lastForeign = event.name
      findings.append(finding("\(event.name) carries another run's id", at: event))
    case .stageEnded(let stage, .passed, _):
      // Nothing of this run came in between: the foreign event itself would have completed the stage.
      guard let name = lastForeign,
        context.flow.stage(stage)?.completes.contains(where: { $0 == .success(name) || $0 == .event(name) }) == true
      else { return }
      findings.append(
        finding("\(stage) was completed by another run's \(name)", time: entry.time, severity: .error, stage: stage))
    default: break
    }
  }

  mutating func finish() -> [Finding] { findings }
}

/// `flow.known-events`: events that the flow does not know are listed, and fail a strict run.
struct KnownEventsCheck: FlowCheck {
  static let info = FlowCheckCatalog.rule(
    "flow.known-events", "every event is one of the flow's; unknown ones fail a run only under strict", .policy)
  private let context: FlowContext
  private var findings: [Finding] = []

  init(_ context: FlowContext) { self.context = context }

  mutating func see(_ entry: TimelineEntry) {
    guard case .event(let event) = entry.what, context.owns(event), !context.flow.events.contains(event.name) else {
      return
    }
    guard findings.count < 50 else { return }
    findings.append(
      finding("unknown event \(event.name)", at: event, severity: context.strict ? .error : .policy))
  }

  mutating func finish() -> [Finding] { findings }
}
