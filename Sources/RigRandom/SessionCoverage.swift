import RigFlow
public import RigModel

/// Where random sessions got to: what was not reached was not tested.
public struct SessionCoverage: Sendable {
  public static let stages: [StageID] = Flow.rtspHotspot.stages.map(\.id)
  public static let outcomes: [StageOutcome] = [.passed, .inconclusive, .failed, .blocked]

  public private(set) var sessions = 0
  /// Steps that happened to sessions, without the ticks of their own timers.
  public private(set) var events = 0
  public private(set) var began: [StageID: Int] = [:]
  public private(set) var ended: [StageID: [StageOutcome: Int]] = [:]
  public private(set) var points: [FailurePoint: Int] = [:]
  public private(set) var gates: [Gate: Int] = [:]
  /// Sessions without a failure.
  public private(set) var successes = 0
  /// Sessions whose failure turned out weak.
  public private(set) var doubtful = 0

  public init() {}

  mutating func count(_ trace: SessionTrace) {
    sessions += 1
    events += trace.sequence.steps.count
    for moment in trace.moments {
      for action in moment.actions {
        switch action {
        case .stageBegan(let id, _): began[id, default: 0] += 1
        case .stageEnded(let id, let outcome, _): ended[id, default: [:]][outcome, default: 0] += 1
        default: break
        }
      }
    }
    if let gate = trace.reached { gates[gate, default: 0] += 1 }
    guard let failure = trace.failure else {
      successes += 1
      return
    }
    points[failure.point, default: 0] += 1
    if failure.doubt != nil { doubtful += 1 }
  }

  public func count(_ stage: StageID, _ outcome: StageOutcome) -> Int { ended[stage]?[outcome] ?? 0 }

  /// Failure points that no session had.
  public var missedPoints: [FailurePoint] {
    (SessionCoverage.stages.map { FailurePoint($0) } + [.controlLink, .rig]).filter { points[$0] == nil }
  }
}
