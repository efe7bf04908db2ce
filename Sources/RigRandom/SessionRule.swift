public import RigFlow
public import RigModel

/// What must hold of every session, whatever comes. Written from the flow's rules, apart from the session that they
/// judge: a rule looks at inputs and actions only, and knows nothing of how the session decides.
public struct SessionRule: Sendable {
  /// `finished-once`
  public let id: String
  public let text: String
  /// - Returns: how the rule is broken; `nil`: it holds.
  let broken: @Sendable (SessionRuleContext) -> String?

  init(_ id: String, _ text: String, _ broken: @escaping @Sendable (SessionRuleContext) -> String?) {
    self.id = id
    self.text = text
    self.broken = broken
  }

  public static let all: [SessionRule] = stages + media + endings + words
}

/// A rule that was broken, and how.
public struct Violation: Hashable, Sendable {
  public var rule: String
  public var how: String
}

extension SessionTrace {
  /// The first rule that this session breaks; `nil`: all hold.
  public func violation(_ make: (Flow, Session.Setup) -> some SessionMachine) -> Violation? {
    let context = SessionRuleContext(self)
    for rule in SessionRule.all {
      if let how = rule.broken(context) { return Violation(rule: rule.id, how: how) }
    }
    if let how = FlowCheckTwins.difference(context) { return Violation(rule: "flow-checks", how: how) }
    return changedByOthers(make).map { Violation(rule: "other-run", how: $0) }
  }

  /// Events of another run, and claims, change nothing: without them the session does the same.
  private func changedByOthers(_ make: (Flow, Session.Setup) -> some SessionMachine) -> String? {
    func isForeign(_ step: SessionSequence.Step) -> Bool {
      if case .event(let event) = step.what { !event.isOwn } else { false }
    }
    guard sequence.steps.contains(where: isForeign) else { return nil }
    let without = SessionTrace(sequence.without { isForeign(sequence.steps[$0]) }, on: make)
    let here = moments.filter { !$0.actions.isEmpty }
    let there = without.moments.filter { !$0.actions.isEmpty }
    for (a, b) in zip(here, there) where a.time != b.time || a.actions != b.actions {
      return "at \(a.time) it does \(a.actions), without other runs' events \(b.actions) at \(b.time)"
    }
    guard here.count == there.count, isOver == without.isOver, reached == without.reached,
      failure?.point == without.failure?.point
    else { return "it ends otherwise than without other runs' events" }
    return nil
  }
}

/// A trace with what most rules ask for.
struct SessionRuleContext {
  let trace: SessionTrace
  /// The moment in which the start was sent; `nil`: never.
  let started: Int?
  /// The moment in which the session ended, and clean-up began.
  let ended: Int?
  /// The moment in which a stage began, and how and when it ended, in order.
  private(set) var began: [StageID: (moment: Int, deadline: HostTime?)] = [:]
  private(set) var ends: [(stage: StageID, outcome: StageOutcome, moment: Int)] = []

  var moments: [SessionTrace.Moment] { trace.moments }

  init(_ trace: SessionTrace) {
    self.trace = trace
    var started: Int?
    var ended: Int?
    for (i, moment) in trace.moments.enumerated() {
      for action in moment.actions {
        switch action {
        case .sendStart where started == nil: started = i
        case .closeMedia where ended == nil: ended = i
        case .stageBegan(let id, let deadline) where began[id] == nil: began[id] = (i, deadline)
        case .stageEnded(let id, let outcome, _): ends.append((id, outcome, i))
        default: break
        }
      }
    }
    self.started = started
    self.ended = ended
  }

  /// An event of this run at a moment; `nil`: something else happened.
  func ownEvent(_ i: Int) -> DeviceEvent? {
    guard case .event(let event) = moments[i].input, !event.isClaim, event.run != SessionSequence.otherRun else {
      return nil
    }
    return event
  }

  func fact(_ i: Int) -> FactKind? {
    if case .fact(let fact) = moments[i].input { fact.kind } else { nil }
  }

  /// Whether such an event of this run came after the start was sent, up to a moment.
  func hadEvent(_ name: String, success: Bool? = nil, until last: Int) -> Bool {
    guard let started, started < last else { return false }
    return (started + 1...last).contains { i in
      guard let event = ownEvent(i), event.name == name else { return false }
      return success == nil || event.data["success"]?.bool == success
    }
  }

  func hadFact(_ kind: FactKind, after first: Int, until last: Int) -> Bool {
    first < last && (first + 1...last).contains { fact($0) == kind }
  }

  /// Whether the session is still driven when a moment comes.
  func isDriven(_ i: Int) -> Bool { i > 0 && ended.map { i <= $0 } ?? true }

  /// Whether a stage runs when a moment comes.
  func isRunning(_ stage: StageID, _ i: Int) -> Bool {
    guard let start = began[stage], start.moment < i else { return false }
    return !ends.contains { $0.stage == stage && $0.moment < i }
  }

  func isOverFor(_ stage: StageID, _ i: Int) -> Bool { ends.contains { $0.stage == stage && $0.moment < i } }

  func passed(_ stage: StageID) -> Int? {
    ends.first { $0.stage == stage && ($0.outcome == .passed || $0.outcome == .inconclusive) }?.moment
  }

  func count(_ wanted: Session.Action) -> Int {
    moments.reduce(0) { $0 + $1.actions.count { $0 == wanted } }
  }

  /// Whether a stop went out behind the end of the session, in the same moment.
  func stoppedAsCleanUp(_ i: Int) -> Bool {
    let actions = moments[i].actions
    guard let closed = actions.firstIndex(of: .closeMedia) else { return false }
    return actions[closed...].contains(.sendStop)
  }

  func fails(_ stage: StageID, in i: Int) -> Bool {
    ends.contains { $0.stage == stage && $0.moment == i && $0.outcome == .failed }
  }

  /// The moment in which an address was opened.
  var opened: (moment: Int, url: String)? {
    for (i, moment) in moments.enumerated() {
      for case .openMedia(let url) in moment.actions { return (i, url) }
    }
    return nil
  }
}
