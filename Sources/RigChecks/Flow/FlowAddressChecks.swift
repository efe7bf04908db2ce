import RigFlow
import RigModel

/// `flow.address-vs-start`: both events come, in either order, and only after a successful connect.
struct AddressVersusStartCheck: FlowCheck {
  static let info = FlowCheckCatalog.rule(
    "flow.address-vs-start", "the address and the session start are reported only after a successful connect")
  private let context: FlowContext
  private var connected = false
  private var findings = FlowFindings()

  init(_ context: FlowContext) { self.context = context }

  mutating func see(_ entry: TimelineEntry) {
    guard case .event(let event) = entry.what, context.owns(event) else { return }
    switch event.name {
    case "deviceHotspotConnectCompletion": if event.success == true { connected = true }
    case "rtspAddressReceived" where !connected:
      findings.append(finding("rtspAddressReceived came before a successful connect", at: event))
    case "sessionStartCompletion" where !connected && event.success == true:
      findings.append(finding("sessionStartCompletion came before a successful connect", at: event))
    default: break
    }
  }

  mutating func finish() -> [Finding] { findings.list }
}

/// `flow.no-early-success`: "running" only after `sessionStartCompletion(true)`.
struct NoEarlySuccessCheck: FlowCheck {
  static let info = FlowCheckCatalog.rule(
    "flow.no-early-success", "a session runs only after sessionStartCompletion(true)")
  private let context: FlowContext
  private var started = false
  private var findings = FlowFindings()

  init(_ context: FlowContext) { self.context = context }

  mutating func see(_ entry: TimelineEntry) {
    switch entry.what {
    case .event(let event) where context.owns(event) && event.name == "sessionStartCompletion":
      if event.success == true { started = true }
    case .stageBegan(.running, _) where !started:
      findings.append(finding("running began without sessionStartCompletion(true)", time: entry.time, stage: .running))
    default: break
    }
  }

  mutating func finish() -> [Finding] { findings.list }
}

/// `flow.url-never-guessed`: the only URL ever opened is the one received, and an invalid one is refused.
struct URLNeverGuessedCheck: FlowCheck {
  static let info = FlowCheckCatalog.rule(
    "flow.url-never-guessed", "only the received address is opened; an invalid one is refused, never repaired")
  private let context: FlowContext
  private var received: String?
  private var findings = FlowFindings()

  init(_ context: FlowContext) { self.context = context }

  mutating func see(_ entry: TimelineEntry) {
    switch entry.what {
    case .event(let event) where context.owns(event) && event.name == "rtspAddressReceived":
      let address = event.data["address"]?.string
      if case .failure(let why) = AddressRule.check(address) {
        findings.append(finding("an invalid address was received: \(why)", at: event, stage: .receiveAddress))
      }
      // A second, different address does not make the first one wrong.
      if received == nil { received = address }
    // What came before the start belongs to an earlier run, whether it says so or not.
    case .action(HarnessAction.start): received = nil
    case .action(let action):
      if let opened = HarnessAction.opened(action), opened != received {
        findings.append(finding("a URL was opened that was not received", time: entry.time, stage: .play))
      }
    default: break
    }
  }

  mutating func finish() -> [Finding] { findings.list }
}
