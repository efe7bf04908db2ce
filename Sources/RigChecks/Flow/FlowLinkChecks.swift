import RigFlow
import RigModel

/// `flow.stay-on-hotspot`: the link stays joined while media runs.
struct StayOnHotspotCheck: FlowCheck {
  static let info = FlowCheckCatalog.rule("flow.stay-on-hotspot", "the link stays joined while media runs")
  private var isRunning = false
  private var findings = FlowFindings()

  init(_ context: FlowContext) {}

  mutating func see(_ entry: TimelineEntry) {
    switch entry.what {
    case .stageBegan(.running, _): isRunning = true
    case .stageEnded(.running, _, _): isRunning = false
    case .fact(let fact) where fact.kind == .linkLost && isRunning:
      findings.append(finding("the hotspot was left: \(fact.detail)", time: fact.time, stage: .running))
    default: break
    }
  }

  mutating func finish() -> [Finding] { findings.list }
}

/// `flow.corroborated`: a success event without a fact behind it is a lie.
struct CorroboratedCheck: FlowCheck {
  static let info = FlowCheckCatalog.rule(
    "flow.corroborated", "a reported join is confirmed by a witness other than the device")
  private let context: FlowContext
  private var reported: DeviceEvent?
  private var findings = FlowFindings()

  init(_ context: FlowContext) { self.context = context }

  mutating func see(_ entry: TimelineEntry) {
    switch entry.what {
    case .event(let event) where context.owns(event) && event.name == "deviceHotspotConnectCompletion":
      if event.success == true { reported = event }
    case .fact(let fact) where fact.kind == .linkNotJoined:
      if let reported {
        findings.append(
          finding("the join was reported, but \(fact.detail)", at: reported, stage: .connectHotspot))
      }
    default: break
    }
  }

  mutating func finish() -> [Finding] { findings.list }
}

/// `flow.clean-end`: after finish no more media, the RTSP port closed, the hotspot gone.
struct CleanEndCheck: FlowCheck {
  static let info = FlowCheckCatalog.rule(
    "flow.clean-end", "after the session: no media, the RTSP port closed, the hotspot gone")
  private var findings = FlowFindings()

  init(_ context: FlowContext) {}

  mutating func see(_ entry: TimelineEntry) {
    guard case .fact(let fact) = entry.what else { return }
    switch fact.kind {
    case .portStillOpen, .wireBusy, .hotspotStillUp:
      findings.append(finding(fact.detail, time: fact.time, stage: .cleanUp))
    default: break
    }
  }

  mutating func finish() -> [Finding] { findings.list }
}

/// `flow.keep-player-until-end`: playback is held until the session ends, and released after.
struct KeepPlayerCheck: FlowCheck {
  static let info = FlowCheckCatalog.rule(
    "flow.keep-player-until-end", "the player is held until the session finishes or fails, and released after")
  private let context: FlowContext
  private var isOpen = false
  private var mayClose = false
  private var findings = FlowFindings()

  init(_ context: FlowContext) { self.context = context }

  mutating func see(_ entry: TimelineEntry) {
    switch entry.what {
    case .action(let action):
      if HarnessAction.opened(action) != nil { isOpen = true }
      if action == HarnessAction.stop || action == HarnessAction.stopAsCleanUp { mayClose = true }
      guard action == HarnessAction.closeMedia, isOpen else { return }
      isOpen = false
      if !mayClose { findings.append(finding("the player was closed while the session ran", time: entry.time)) }
    // Whatever ends a stage other than well ends the session: a failure, a lost control link, an abort.
    case .stageEnded(_, let outcome, _) where outcome != .passed && outcome != .inconclusive: mayClose = true
    case .event(let event) where context.owns(event) && event.name == "sessionFinish": mayClose = true
    case .note("aborted"): mayClose = true
    default: break
    }
  }

  mutating func finish() -> [Finding] {
    findings.list + (isOpen ? [finding("the player was never released")] : [])
  }
}
