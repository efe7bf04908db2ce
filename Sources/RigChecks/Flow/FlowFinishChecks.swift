import RigFlow
import RigModel

/// `flow.finish-once`: `sessionFinish` exactly once and last. A session that was active and never finishes, not even when
/// it is stopped as clean-up, breaks the rule as well: the user of the device is never told.
struct FinishOnceCheck: FlowCheck {
  static let info = FlowCheckCatalog.rule(
    "flow.finish-once", "sessionFinish comes once, and nothing of the run comes after it")
  private let context: FlowContext
  private var finished: DeviceEvent?
  private var wasActive = false
  /// The device could not say it any more, or nobody heard it: a reboot, a lost control link, an abort.
  private var isExcused = false
  /// When clean-up had run its course.
  private var over: HostTime?
  private var findings = FlowFindings()

  init(_ context: FlowContext) { self.context = context }

  mutating func see(_ entry: TimelineEntry) {
    switch entry.what {
    case .event(let event): see(event)
    case .gate(.active): wasActive = true
    case .stageEnded(.cleanUp, .passed, _), .stageEnded(.cleanUp, .failed, _): over = entry.time
    case .fact(let fact) where fact.kind == .rebooted || fact.kind == .controlLost: isExcused = true
    case .note("aborted"): isExcused = true
    default: break
    }
  }

  private mutating func see(_ event: DeviceEvent) {
    guard context.owns(event), context.flow.events.contains(event.name) else { return }
    if let finished {
      let contradiction =
        event.name == "sessionFinish" && event.data["userStopped"] != finished.data["userStopped"]
        ? ", and contradicts the first" : ""
      findings.append(finding("\(event.name) came after sessionFinish\(contradiction)", at: event))
    } else if event.name == "sessionFinish" {
      finished = event
    }
  }

  mutating func finish() -> [Finding] {
    guard wasActive, let over, finished == nil, !isExcused else { return findings.list }
    let never = finding("the session was active, and no sessionFinish ever came", time: over, stage: .finish)
    return findings.list + [never]
  }
}

/// `flow.user-stop-told-apart`: `userStopped` is true exactly if a stop was asked for.
struct UserStopCheck: FlowCheck {
  static let info = FlowCheckCatalog.rule(
    "flow.user-stop-told-apart", "userStopped is true only if a stop was asked for; an interruption has an error")
  private let context: FlowContext
  private var stopAsked = false
  private var isCleanUp = false
  private var seen = false
  private var findings = FlowFindings()

  init(_ context: FlowContext) { self.context = context }

  mutating func see(_ entry: TimelineEntry) {
    switch entry.what {
    case .action(HarnessAction.stop): stopAsked = true
    // A finish that answers the clean-up's stop is not judged as a user stop.
    case .action(HarnessAction.stopAsCleanUp): isCleanUp = true
    case .event(let event) where context.owns(event) && event.name == "sessionFinish" && !seen && !isCleanUp:
      seen = true
      judge(event)
    default: break
    }
  }

  private mutating func judge(_ event: DeviceEvent) {
    switch event.data["userStopped"]?.bool {
    case true where !stopAsked:
      findings.append(finding("userStopped is true, and nobody asked for a stop", at: event, stage: .finish))
    case false where stopAsked:
      findings.append(finding("userStopped is false after a requested stop", at: event, stage: .finish))
    case false where event.error == nil:
      findings.append(
        finding("an interruption without an error", at: event, severity: .warning, stage: .finish))
    case nil: findings.append(finding("sessionFinish carries no userStopped", at: event, stage: .finish))
    default: break
    }
  }

  mutating func finish() -> [Finding] { findings.list }
}

/// `flow.failure-is-terminal`: after a failed completion no later stage begins.
struct FailureIsTerminalCheck: FlowCheck {
  static let info = FlowCheckCatalog.rule(
    "flow.failure-is-terminal", "after a failed completion no later stage begins; sessionFinish may follow")
  private let context: FlowContext
  private var failed: String?
  private var findings = FlowFindings()

  init(_ context: FlowContext) { self.context = context }

  mutating func see(_ entry: TimelineEntry) {
    guard case .event(let event) = entry.what, context.owns(event) else { return }
    if let failed, context.flow.events.contains(event.name), event.name != "sessionFinish" {
      findings.append(finding("\(event.name) came after \(failed) had failed", at: event))
    } else if event.success == false {
      failed = event.name
    }
  }

  mutating func finish() -> [Finding] { findings.list }
}
