import RigFlow
import RigModel

/// How a session turned out: as it was driven, or as it was judged again once the phone had been heard.
struct JudgedSession {
  var failure: Session.Failure?
  var reached: Gate?
  var stages: [StageRecord]
  var doubts: [String]

  init(_ session: Session) {
    failure = session.failure
    reached = session.reached
    stages = session.records
    doubts = session.doubts
  }

  subscript(_ stage: StageID) -> StageRecord? {
    get { stages.first { $0.id == stage.rawValue } }
    set {
      guard let newValue else { return }
      if let i = stages.firstIndex(where: { $0.id == stage.rawValue }) {
        stages[i] = newValue
      } else {
        stages.append(newValue)
      }
    }
  }
}

/// What a case keeps until its phone has been heard. With the harness as player it stays empty.
struct PhoneCase {
  /// Everything that the session was told.
  var log = SessionLog()
  /// Stages and gates that no report may show before they are known.
  var held: [(time: HostTime, action: Session.Action)] = []
  var marks: [(time: HostTime, text: String)] = []
  /// The timeline so far, for checks and proofs.
  private(set) var entries: [TimelineEntry] = []
  private(set) var isCut = false
  var judged: JudgedSession?
  /// Why nobody saw the media.
  var unwitnessed: String?
  var properties: [RunRecord.Property] = []
  /// Why the recorder did not start.
  var beginProblem: String?
  /// The phone has not been heard yet.
  var isWaiting: Bool

  /// Stages whose outcome rests on what comes later.
  private let open: Set<StageID>
  private let gates: Set<Gate>
  /// Those that begin when one of these completes.
  private let followers: Set<StageID>
  private static let entryLimit = 200_000

  init(_ flow: Flow, _ topology: Topology) {
    isWaiting = topology.player == .phone
    var open: Set<StageID> = []
    var followers: Set<StageID> = []
    for stage in flow.stages where stage.id != .cleanUp {
      if case .completed(let other) = stage.begins, open.contains(other) {
        followers.insert(stage.id)
        open.insert(stage.id)
      }
      if stage.completes.contains(where: {
        if case .fact(let kind) = $0 { topology.later.contains(kind) } else { false }
      }) {
        open.insert(stage.id)
      }
    }
    self.open = open
    self.followers = followers
    gates = Set(flow.stages.filter { open.contains($0.id) }.compactMap(\.gate))
  }

  func isOpen(_ stage: StageID) -> Bool { open.contains(stage) }
  func isOpen(_ gate: Gate) -> Bool { gates.contains(gate) }

  func holds(_ action: Session.Action) -> Bool {
    guard isWaiting else { return false }
    switch action {
    case .stageBegan(let stage, _): return followers.contains(stage)
    case .stageEnded(let stage, _, _): return open.contains(stage)
    case .gate(let gate): return gates.contains(gate)
    default: return false
    }
  }

  /// What was on the timeline already is not told again.
  func isTold(_ action: Session.Action) -> Bool {
    switch action {
    case .stageBegan(let stage, _): return !followers.contains(stage)
    case .stageEnded(let stage, _, _): return !open.contains(stage)
    case .gate(let gate): return !gates.contains(gate)
    default: return true
    }
  }

  mutating func keep(_ entry: TimelineEntry) {
    // No check and no proof reads the device's log.
    if case .deviceLog = entry.what { return }
    guard entries.count < PhoneCase.entryLimit else {
      isCut = true
      return
    }
    entries.append(entry)
  }

  /// The timeline in the order of time, with what happened at once in the order in which it was told.
  mutating func takeEntries() -> [TimelineEntry] {
    isWaiting = false
    defer { entries = [] }
    return entries.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
  }
}
