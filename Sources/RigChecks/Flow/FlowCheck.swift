import RigFlow
public import RigModel

/// A rule of the flow, judged over the timeline in one pass and constant memory.
public protocol FlowCheck: Sendable {
  static var info: CheckInfo { get }
  init(_ context: FlowContext)
  mutating func see(_ entry: TimelineEntry)
  mutating func finish() -> [Finding]
}

/// What a flow check knows of the session beside the timeline.
public struct FlowContext: Sendable {
  public var flow: Flow
  public var run: String
  public var strict: Bool

  public init(flow: Flow, run: String, strict: Bool = false) {
    self.flow = flow
    self.run = run
    self.strict = strict
  }

  /// Whether an event belongs to this run; claims belong to none.
  func owns(_ event: DeviceEvent) -> Bool { !event.isClaim && (event.run == nil || event.run == run) }
}

extension FlowCheck {
  func finding(
    _ message: String, at event: DeviceEvent? = nil, time: HostTime? = nil, severity: Severity? = nil,
    stage: StageID? = nil
  ) -> Finding {
    Finding(
      check: Self.info.id, severity: severity ?? Self.info.severity, message: message,
      first: Evidence(
        file: event == nil ? nil : "events.jsonl", time: (time ?? event?.received)?.nanoseconds,
        sequence: event?.sequence), stage: stage)
  }
}

/// Every flow check, in one list: a new one is one file and one line here.
public enum FlowCheckCatalog {
  static let all: [any FlowCheck.Type] = [
    OrderCheck.self, AddressVersusStartCheck.self, NoEarlySuccessCheck.self, URLNeverGuessedCheck.self,
    StayOnHotspotCheck.self, KeepPlayerCheck.self, FinishOnceCheck.self, UserStopCheck.self,
    FailureIsTerminalCheck.self, CorroboratedCheck.self, OtherRunCheck.self, CleanEndCheck.self, KnownEventsCheck.self,
  ]

  public static let infos: [CheckInfo] = all.map { $0.info }

  static func rule(_ id: String, _ rule: String, _ severity: Severity = .error) -> CheckInfo {
    CheckInfo(id: id, rule: rule, reference: "flows, rtsp-hotspot rules", severity: severity)
  }
}

/// All flow checks over one session.
public struct FlowChecks: Sendable {
  private var checks: [any FlowCheck]
  public init(_ context: FlowContext) { checks = FlowCheckCatalog.all.map { $0.init(context) } }

  public mutating func see(_ entry: TimelineEntry) { for i in checks.indices { checks[i].see(entry) } }

  /// Findings with repeats of one message counted together.
  public mutating func finish() -> [Finding] {
    var out: [Finding] = []
    for i in checks.indices {
      for finding in checks[i].finish() {
        if let j = out.firstIndex(where: { $0.check == finding.check && $0.message == finding.message }) {
          out[j].count += 1
          out[j].last = finding.first
        } else if out.count < 200 {
          out.append(finding)
        }
      }
    }
    return out
  }
}
