import RigFlow
import RigModel

/// One thing that happens to a session.
enum Step: Sendable {
  case input(Session.Input)
  /// Times are milliseconds; `on`: when it happened on the device, as far as its clock is known.
  case event(String, JSONValue, run: String?, on: Int?, error: Int)
  case fact(FactKind, String)
  /// Only time passes.
  case wait

  static func event(_ name: String, _ data: JSONValue = [:], on: Int? = nil, error: Int = 5) -> Step {
    .event(name, data, run: ScriptedSession.run, on: on, error: error)
  }
  static func done(_ name: String, on: Int? = nil, error: Int = 5) -> Step {
    event(name, ["success": true], on: on, error: error)
  }
  static func refused(_ name: String) -> Step {
    event(name, ["success": false, "error": ["domain": "demo", "code": 7, "message": "no"]])
  }
  static func address(_ url: String = ScriptedSession.url, on: Int? = nil) -> Step {
    event("rtspAddressReceived", ["address": .string(url)], on: on)
  }
  static func finish(userStopped: Bool?, error: Bool = false, on: Int? = nil) -> Step {
    let why: JSONValue = ["domain": "demo", "code": 9, "message": "gone"]
    return event(
      "sessionFinish", ["userStopped": userStopped.map { .bool($0) }, "error": error ? why : nil], on: on)
  }
  static func fact(_ kind: FactKind) -> Step { .fact(kind, "seen") }
  static let begin = Step.input(.begin)
  static let ready = Step.input(.preflightPassed)
  static let accepted = Step.input(.startAccepted)
}

/// A session on a clock that only the script moves, ticked at its own deadlines as the runner does.
struct ScriptedSession {
  static let run = "run-1"
  static let url = "rtsp://192.168.43.1:8554/live"

  private(set) var session: Session
  private(set) var now = HostTime.zero
  private(set) var log: [(time: HostTime, action: Session.Action)] = []
  /// What the session was told, as the runner keeps it where a phone plays.
  private(set) var inputs = SessionLog()
  private var sequence: Int64 = 0

  init(
    flow: Flow = .rtspHotspot, limits: [String: Duration] = [:], playFor: Duration = .seconds(5),
    agentIsSubject: Bool = false
  ) {
    session = Session(
      flow: flow, setup: Session.Setup(run: ScriptedSession.run, limits: limits, playFor: playFor))
    session.agentIsSubject = agentIsSubject
  }

  /// Plays a script to its last step.
  init(_ script: [(Int, Step)], limits: [String: Duration] = [:], playFor: Duration = .seconds(5)) {
    self.init(limits: limits, playFor: playFor)
    for (ms, step) in script { play(step, at: ms) }
  }

  /// Lets time pass: every deadline up to `ms` is ticked at its time.
  mutating func advance(to ms: Int) {
    let target = HostTime.zero + .milliseconds(ms)
    while let deadline = session.nextDeadline, deadline <= target {
      now = max(now, deadline)
      record(session.handle(.tick, at: now))
      if let next = session.nextDeadline, next <= now { return }
    }
    now = max(now, target)
  }

  /// One tick that comes late: deadlines before it are due all at once.
  mutating func tickLate(at ms: Int) {
    now = .zero + .milliseconds(ms)
    record(session.handle(.tick, at: now))
  }

  @discardableResult
  mutating func play(_ step: Step, at ms: Int) -> [Session.Action] {
    advance(to: ms)
    switch step {
    case .input(let input): return take(input)
    case .event(let name, let data, let run, let on, let error):
      sequence += 1
      let event = DeviceEvent(
        received: now, occurred: on.map { HostTime.zero + .milliseconds($0) },
        timeError: on.map { _ in .milliseconds(error) }, sequence: sequence, boot: "b", run: run, name: name,
        source: "device", data: data)
      return take(.event(event))
    case .fact(let kind, let detail): return take(.fact(Fact(kind, by: .link, at: now, detail: detail)))
    case .wait: return []
    }
  }

  private mutating func take(_ input: Session.Input) -> [Session.Action] {
    inputs.note(input, at: now)
    return record(session.handle(input, at: now))
  }

  @discardableResult
  private mutating func record(_ actions: [Session.Action]) -> [Session.Action] {
    if actions.contains(.sendStop), !session.isCleaning { inputs.note(.stop, at: now) }
    log += actions.map { (now, $0) }
    return actions
  }

  // MARK: What came out

  var actions: [Session.Action] { log.map(\.action) }
  var failurePoint: FailurePoint? { session.failure?.point }
  var reason: String { session.failure?.reason ?? "" }
  func record(of stage: StageID) -> StageRecord? { session.records.first { $0.id == stage.rawValue } }
  func outcome(_ stage: StageID) -> StageOutcome? { record(of: stage)?.outcome }
  func count(_ wanted: Session.Action) -> Int { actions.filter { $0 == wanted }.count }
  func began(_ stage: StageID) -> Bool {
    actions.contains { if case .stageBegan(stage, _) = $0 { true } else { false } }
  }
  /// When a stage failed, in milliseconds.
  func failed(_ stage: StageID) -> Int? {
    log.first { if case .stageEnded(stage, .failed, _) = $0.action { true } else { false } }
      .map { Int($0.time.nanoseconds / 1_000_000) }
  }
}

/// The whole success path: 12.9 s to active, stopped by the plan at 17.9 s.
enum Healthy {
  static let script: [(Int, Step)] = [
    (0, .begin), (10, .ready), (20, .accepted),
    (30, .event("configureHotspotStarting")), (2000, .done("hotspotConfigureCompletion")),
    (2010, .event("enterLiveStreamingModeStarting")), (3900, .done("enterLiveStreamingModeCompleted")),
    (3910, .event("waitingForHotspotOpen")),
    (7200, .event("connectDeviceHotspotStarting", ["ssid": "rig-1", "join": ["by": "harness"]])),
    (11_800, .done("deviceHotspotConnectCompletion")), (11_900, .fact(.linkJoined)),
    (12_300, .address()), (12_500, .fact(.keyFrame)), (12_900, .done("sessionStartCompletion")),
    (18_200, .finish(userStopped: true)),
    (18_300, .fact(.portClosed)), (19_000, .fact(.wireQuiet)), (19_100, .fact(.hotspotGone)),
  ]

  /// The steps before the one at `ms`.
  static func before(_ ms: Int) -> [(Int, Step)] { script.filter { $0.0 < ms } }
  /// The script with other steps at some times; `nil`: nothing happens then.
  static func with(_ pairs: KeyValuePairs<Int, Step?>) -> [(Int, Step)] {
    let changes = Dictionary(pairs.map { ($0.key, $0.value) }) { $1 }
    let kept = script.compactMap { ms, step in changes[ms].map { $0.map { (ms, $0) } } ?? (ms, step) }
    let times = Set(script.map(\.0))
    let added = changes.compactMap { ms, step in times.contains(ms) ? nil : step.map { (ms, $0) } }
    return (kept + added).sorted { $0.0 < $1.0 }
  }
}
