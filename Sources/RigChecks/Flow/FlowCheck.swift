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

extension Flow.Condition {
  /// The device event that this condition waits for.
  var eventName: String? {
    switch self {
    case .success(let name), .event(let name): name
    default: nil
    }
  }
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

/// What one check found: repeats of one message are counted, and a hostile device cannot make the list grow for ever.
struct FlowFindings: Sendable {
  static let limit = 50
  private(set) var list: [Finding] = []

  mutating func append(_ finding: Finding) {
    if let i = list.firstIndex(where: { $0.message == finding.message && $0.severity == finding.severity }) {
      list[i].count += 1
      list[i].last = finding.first
    } else if list.count < FlowFindings.limit {
      list.append(finding)
    }
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
  public mutating func finish() -> [Finding] { checks.indices.flatMap { checks[$0].finish() } }
}
