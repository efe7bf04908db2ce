import RigFlow
import RigModel

/// `flow.other-run`: events of another run never advance this one.
struct OtherRunCheck: FlowCheck {
  static let info = FlowCheckCatalog.rule(
    "flow.other-run", "events carry the id of the run they belong to; another run's never advance this one", .warning)
  private let context: FlowContext
  private var findings = FlowFindings()
  /// Names of the flow that came under this run, and under another: as many as the flow has, at most.
  private var own: Set<String> = []
  private var foreign: Set<String> = []

  init(_ context: FlowContext) { self.context = context }

  mutating func see(_ entry: TimelineEntry) {
    switch entry.what {
    case .event(let event):
      guard !event.isClaim else { return }
      let isKnown = context.flow.events.contains(event.name)
      guard !context.owns(event) else {
        if isKnown { own.insert(event.name) }
        return
      }
      if isKnown { foreign.insert(event.name) }
      findings.append(finding("\(event.name) carries another run's id", at: event))
    case .stageEnded(let stage, .passed, _):
      // What this run never said cannot have completed the stage.
      let name = context.flow.stage(stage)?.completes.lazy.compactMap(\.eventName).first
      guard let name, foreign.contains(name), !own.contains(name) else { return }
      findings.append(
        finding("\(stage) was completed by another run's \(name)", time: entry.time, severity: .error, stage: stage))
    default: break
    }
  }

  mutating func finish() -> [Finding] { findings.list }
}

/// `flow.known-events`: events that the flow does not know are listed, and fail a strict run.
struct KnownEventsCheck: FlowCheck {
  static let info = FlowCheckCatalog.rule(
    "flow.known-events", "every event is one of the flow's; unknown ones fail a run only under strict", .policy)
  private let context: FlowContext
  private var findings = FlowFindings()

  init(_ context: FlowContext) { self.context = context }

  mutating func see(_ entry: TimelineEntry) {
    guard case .event(let event) = entry.what, context.owns(event), !context.flow.events.contains(event.name) else {
      return
    }
    findings.append(
      finding("unknown event \(event.name)", at: event, severity: context.strict ? .error : .policy))
  }

  mutating func finish() -> [Finding] { findings.list }
}
