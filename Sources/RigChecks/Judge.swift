public import RigFlow
public import RigModel

/// Turns what was observed of a session into a verdict.
///
/// Precedence: error > fail > inconclusive > pass, but what goes wrong with the rig after an established failure does
/// not hide it. An expected failure at the expected failure point is a pass; elsewhere it is a fail that names both; a
/// fault that did not fire is an error.
public struct Judge: Sendable {
  public struct Evidence: Sendable {
    public var expectation: Expectation
    public var flow: Flow
    public var failure: Session.Failure?
    public var reached: Gate?
    public var stages: [StageRecord]
    public var doubts: [String]
    public var faults: [(request: FaultRequest, record: FaultRecord, trips: [String])]
    public var groups: [CheckGroupRecord]
    /// The plan's limits on measurements, and how each was met.
    public var measures: [MeasureRecord]
    /// Events of this run that came, by name.
    public var eventsSeen: Set<String>
    /// What went wrong with the rig, without ending the session.
    public var rigProblems: [String]
    /// The agent itself is the subject: losing it is its failure.
    public var agentUnderTest: Bool
    /// Why nobody saw the media; `nil`: it was seen. What rests on the agent's word alone is no success.
    public var unwitnessed: String?

    public init(
      expectation: Expectation, flow: Flow, failure: Session.Failure? = nil, reached: Gate? = nil,
      stages: [StageRecord] = [], doubts: [String] = [],
      faults: [(request: FaultRequest, record: FaultRecord, trips: [String])] = [], groups: [CheckGroupRecord] = [],
      measures: [MeasureRecord] = [],
      eventsSeen: Set<String> = [], rigProblems: [String] = [], agentUnderTest: Bool = false,
      unwitnessed: String? = nil
    ) {
      self.expectation = expectation
      self.flow = flow
      self.failure = failure
      self.reached = reached
      self.stages = stages
      self.doubts = doubts
      self.faults = faults
      self.groups = groups
      self.measures = measures
      self.eventsSeen = eventsSeen
      self.rigProblems = rigProblems
      self.agentUnderTest = agentUnderTest
      self.unwitnessed = unwitnessed
    }
  }

  public struct Ruling: Hashable, Sendable {
    public var verdict: Verdict
    public var reason: String
    public var failurePoint: FailurePoint?
  }

  private let e: Evidence

  public static func rule(_ evidence: Evidence) -> Ruling { Judge(e: evidence).rule() }

  private init(e: Evidence) { self.e = e }

  private var expected: FailurePoint? { e.expectation.failed }

  private func rule() -> Ruling {
    let failing = actualFailure
    let point = failing?.point
    func ruling(_ verdict: Verdict, _ reason: String, else other: FailurePoint? = nil) -> Ruling {
      Ruling(verdict: verdict, reason: reason, failurePoint: point ?? other)
    }
    if let doubt = e.failure?.doubt, let failing {
      // A doubtful failure is not established: it hides no problem of the rig.
      if let problem = e.rigProblems.first { return ruling(.error, problem) }
      return ruling(.inconclusive, "\(failing.text); \(doubt)")
    }
    if let unwitnessed = e.unwitnessed, failing == nil || failing?.point == expected {
      // Without packets no fault of the wire can be proven either.
      if let problem = e.rigProblems.first { return ruling(.error, problem, else: .rig) }
      return ruling(.inconclusive, unwitnessed)
    }
    if e.unwitnessed == nil, let missing = unfired(before: point) { return ruling(.error, missing, else: .rig) }
    if let failing, failing.point != expected {
      let text =
        expected.map { "expected a failure at \($0), but the session failed at \(failing.point): \(failing.detail)" }
        ?? failing.text
      return ruling(failing.isRig ? .error : .fail, text)
    }
    if let problem = e.rigProblems.first { return ruling(.error, problem, else: .rig) }
    if let expected, failing == nil {
      return ruling(.fail, "expected a failure at \(expected), but the session succeeded")
    }
    if let wanted = e.expectation.reached, wanted != e.reached {
      return ruling(.fail, "expected the last gate \(wanted), but it was \(e.reached.map { "\($0)" } ?? "none")")
    }
    if let event = e.expectation.never.first(where: e.eventsSeen.contains) {
      return ruling(.fail, "\(event) came, and must never come")
    }
    if let other = unexplainedFinding(at: point) {
      return Ruling(verdict: .fail, reason: describe(other), failurePoint: pointOf(other))
    }
    if let over = exceeded.first(where: { FailurePoint($0.stage) != point }) {
      return Ruling(verdict: .fail, reason: over.reason, failurePoint: FailurePoint(over.stage))
    }
    if point != FailurePoint(.cleanUp),
      let dirty = e.stages.first(where: { $0.id == "clean-up" && $0.outcome == .failed })
    {
      return Ruling(verdict: .fail, reason: "clean-up failed: \(dirty.reason)", failurePoint: FailurePoint(.cleanUp))
    }
    if let doubt = e.doubts.first { return ruling(.inconclusive, doubt) }
    if let weak = e.groups.first(where: { !$0.inconclusive.isEmpty }) {
      return ruling(.inconclusive, weak.inconclusive, else: .rig)
    }
    if let unknown = e.measures.first(where: { $0.outcome == .notMade }) {
      return ruling(.inconclusive, unknown.reason)
    }
    let warnings = e.measures.filter { $0.outcome == .marginal }.map { "; marginal: \($0.reason)" }.joined()
    guard let failing else { return ruling(.pass, "the session ran and ended as planned" + warnings) }
    return ruling(.pass, "failed at \(failing.point) as expected: \(failing.detail)" + warnings)
  }

  // MARK: What failed

  private struct Failing {
    var point: FailurePoint
    var detail: String
    var isRig: Bool
    var text: String { isRig && point == .rig ? detail : "failed at \(point): \(detail)" }
  }

  /// A failed stage outranks findings, and these outrank limits on measurements; among findings the flow's come first.
  private var actualFailure: Failing? {
    if let failure = e.failure {
      let isRig = failure.blame == .rig && !(failure.point == .controlLink && e.agentUnderTest)
      return Failing(point: failure.point, detail: failure.reason, isRig: isRig)
    }
    if let first = errors.first { return Failing(point: pointOf(first), detail: describe(first), isRig: false) }
    return exceeded.first.map { Failing(point: FailurePoint($0.stage), detail: $0.reason, isRig: false) }
  }

  private var exceeded: [MeasureRecord] { e.measures.filter { $0.outcome == .exceeded } }

  /// Error findings, those that a fired fault must lead to last: they would otherwise hide what nobody asked for.
  private var errors: [Finding] {
    let all = e.groups.filter { $0.inconclusive.isEmpty }.flatMap(\.findings).filter { $0.severity == .error }
    return all.filter { !isTripped($0) } + all.filter { isTripped($0) }
  }

  private func isTripped(_ finding: Finding) -> Bool {
    e.faults.contains { $0.record.fired && $0.trips.contains(finding.check) }
  }

  /// Findings that are a stage's failure itself, seen by a check: they say nothing more than the failure does.
  private static let sameFailure: [StageID: Set<String>] = [
    .connectHotspot: ["flow.corroborated"],
    .receiveAddress: ["flow.url-never-guessed"],
    .play: ["media.decodable"],
    .running: ["flow.stay-on-hotspot", "media.gap"],
    .finish: ["flow.user-stop-told-apart", "flow.finish-once"],
    .cleanUp: ["flow.clean-end"],
  ]

  /// A finding that neither the fault nor the failed stage accounts for.
  private func unexplainedFinding(at point: FailurePoint?) -> Finding? {
    let others = errors.filter { !isTripped($0) }
    if e.failure == nil {
      // Findings alone make this failure. Where a fault's own stand there, others are no part of it.
      return others.count < errors.count ? others.first : others.first { pointOf($0) != point }
    }
    let same = point.flatMap { Judge.sameFailure[StageID(rawValue: $0.name)] } ?? []
    return others.first { !same.contains($0.check) }
  }

  private func pointOf(_ finding: Finding) -> FailurePoint {
    if let stage = finding.stage { return FailurePoint(stage) }
    switch finding.check.prefix(while: { $0 != "." }) {
    case "flow": return .protocolOrder
    case "rtsp", "sdp", "transport": return FailurePoint(.play)
    default: return FailurePoint(e.flow.stage(.running) == nil ? .play : .running)
    }
  }

  private func describe(_ finding: Finding) -> String {
    let place = finding.first.frame.map { " (frame \($0))" } ?? ""
    let times = finding.count > 1 ? ", \(finding.count) times" : ""
    return "\(finding.check): \(finding.message)\(place)\(times)"
  }

  /// A fault without proof, unless the session had already failed, not as expected, before its stage: it never had its
  /// chance.
  private func unfired(before point: FailurePoint?) -> String? {
    // The rig gave up, or somebody pressed Ctrl-C: no fault had its chance.
    if e.failure?.point == .rig { return nil }
    let order = e.flow.stages.map { FailurePoint($0.id) }
    let failedAt = point.flatMap { order.firstIndex(of: $0) }
    for fault in e.faults where !fault.record.fired {
      let stage = order.firstIndex(of: FailurePoint(fault.request.stage)) ?? 0
      if let failedAt, failedAt < stage, point != expected { continue }
      if e.failure != nil, failedAt == nil, point != expected, neverBegan(fault.request.stage) { continue }
      return "the fault \(fault.request.text) did not fire: \(fault.record.proof)"
    }
    return nil
  }

  private func neverBegan(_ stage: StageID) -> Bool {
    e.stages.contains { $0.id == stage.rawValue && $0.began == nil }
  }
}
