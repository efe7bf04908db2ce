public import RigModel

/// The state machine of one session: pure, `(state, input, now) → (state, actions)`.
///
/// It drives a flow whose stages, conditions and limits are data. It performs nothing: the runner carries out the
/// actions and feeds back what happened. The same machine runs in real and in virtual time.
///
/// Guarantees, each a test of `SessionTests`:
/// 1. A stage begins once, and its limit runs from its first beginning.
/// 2. A failed stage ends the session: no later stage begins, and clean-up follows if the device may have started, that
///    is, if the start was sent and not refused.
/// 3. The first failed stage is the failure point; later ones are recorded only. One stage may fail after it had
///    completed: `receive-address`, where nobody answers at the address once it is opened.
/// 4. Nothing but the received address is ever opened, and only after it was checked.
/// 5. A reported success without its fact never completes a stage.
/// 6. An event of another run changes nothing.
/// 7. `finished` comes exactly once, and last.
public struct Session: Sendable {
  public struct Setup: Hashable, Sendable {
    public var run: String
    /// Limits by name that deviate from the flow's.
    public var limits: [String: Duration]
    public var playFor: Duration
    /// How long a lost control link may take to come back.
    public var controlPatience: Duration

    public init(
      run: String, limits: [String: Duration] = [:], playFor: Duration, controlPatience: Duration = .seconds(8)
    ) {
      self.run = run
      self.limits = limits
      self.playFor = playFor
      self.controlPatience = controlPatience
    }
  }

  public enum Input: Hashable, Sendable {
    case begin
    case preflightPassed
    case preflightFailed(String)
    case startAccepted
    case startRefused(String)
    case event(DeviceEvent)
    case fact(Fact)
    case controlLost(String)
    case controlBack
    case rebooted(String)
    /// The user stops now, whatever stage the session is in.
    case stop
    /// The rig cannot go on (media helper gone, capture broken, interrupted by a person).
    case abort(FailurePoint, String)
    case tick
  }

  public enum Action: Hashable, Sendable {
    case stageBegan(StageID, deadline: HostTime?)
    case stageEnded(StageID, StageOutcome, reason: String)
    case gate(Gate)
    case sendStart
    case sendStop
    /// The device says where to join; `join` is the event's own member, verbatim.
    case join(ssid: String, join: JSONValue)
    /// The device reports the join: find a fact for or against it.
    case proveLink
    /// Open exactly this, nothing derived from it.
    case openMedia(String)
    case refuseAddress(String, reason: String)
    case closeMedia
    /// Watch for the facts of clean-up until its limit.
    case proveClean
    case finished
  }

  public struct Failure: Hashable, Sendable {
    public enum Blame: String, Sendable {
      case subject
      /// The rig, a precondition, or somebody who pressed Ctrl-C.
      case rig
    }
    public var point: FailurePoint
    public var reason: String
    public var blame: Blame
    /// Set where the evidence for the failure turned out weak.
    public var doubt: String?
  }

  enum Phase: Hashable { case idle, driving, cleaning, over }

  struct StageState {
    let definition: Flow.Stage
    var outcome: StageOutcome?
    var began: HostTime?
    /// When the beginning happened on the device, as far as its clock is known.
    var beganOnDevice: (time: HostTime, error: Duration)?
    /// When the last event that counted towards its completion happened on the device.
    var heardOnDevice: (time: HostTime, error: Duration)?
    /// Since when its beginning was awaited.
    var awaitedSince: HostTime?
    var ended: HostTime?
    var limit: Duration?
    var reason = ""
    var satisfied: Set<Int> = []

    var isPending: Bool { began == nil && outcome == nil }
    var isRunning: Bool { began != nil && outcome == nil }
    var deadline: HostTime? {
      guard isRunning, let began, let limit else { return nil }
      return began + limit
    }
  }

  public let flow: Flow
  public let setup: Setup
  var phase: Phase = .idle
  var stages: [StageState]
  /// A stage whose beginning event must come, and by when.
  var awaited: (index: Int, deadline: HostTime)?
  var stopAt: HostTime?
  var gapDeadline: HostTime?
  /// The stream ended before the session was active; a key frame had been decoded.
  var mediaStopped = false
  /// A gap began before the session was active, and is not over.
  var gapIsOpen = false
  var controlDeadline: HostTime?
  /// The stage in which the control link was lost last.
  var lostIn: StageID?
  var address: String?
  var earlyAddress: DeviceEvent?
  var startSent = false
  var startRefused = false
  var stopSent = false
  var finishSeen = false
  /// The agent is the subject itself, as its hello says: where it is lost, the stage that waits for it fails.
  public var agentIsSubject = false
  public internal(set) var reached: Gate?
  public internal(set) var failure: Failure?
  /// Reasons why parts of the session cannot be judged firmly.
  public internal(set) var doubts: [String] = []

  public init(flow: Flow, setup: Setup) {
    self.flow = flow
    self.setup = setup
    stages = flow.stages.map { stage in
      StageState(definition: stage, limit: setup.limits[stage.id.rawValue] ?? stage.limit)
    }
  }

  public var isOver: Bool { phase == .over }
  public var isCleaning: Bool { phase == .cleaning }
  /// A stop was asked for by the plan, not as clean-up.
  public var stopWasRequested: Bool { stopSent }
  public var openedAddress: String? { address }

  /// A named limit of the session: the plan's, or the flow's.
  public func limit(_ name: String) -> Duration {
    setup.limits[name] ?? flow.limits.first { $0.name == name }?.value ?? .zero
  }

  /// The stage that a person would say the session is in.
  public var currentStage: StageID? {
    stages.first { $0.isRunning }?.definition.id ?? awaited.map { stages[$0.index].definition.id }
  }

  /// When `tick` must come at the latest.
  public var nextDeadline: HostTime? {
    guard phase != .idle, phase != .over else { return nil }
    // While the control link is down a missing event proves nothing: only its own patience runs.
    if let controlDeadline, phase == .driving { return controlDeadline }
    return (stages.compactMap(\.deadline) + [awaited?.deadline, stopAt, gapDeadline].compactMap { $0 }).min()
  }

  public var records: [StageRecord] {
    stages.map { s in
      StageRecord(
        id: s.definition.id.rawValue, outcome: s.outcome ?? (s.began == nil ? .blocked : .unfinished), began: s.began,
        ended: s.ended, limit: s.limit, reason: s.reason)
    }
  }

  func index(of id: StageID) -> Int? { stages.firstIndex { $0.definition.id == id } }
  func isRunning(_ id: StageID) -> Bool { index(of: id).map { stages[$0].isRunning } ?? false }
  func hasPassed(_ id: StageID) -> Bool {
    index(of: id).map { stages[$0].outcome == .passed || stages[$0].outcome == .inconclusive } ?? false
  }
}
