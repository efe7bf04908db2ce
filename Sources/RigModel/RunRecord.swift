/// What is known of a run before its first case: the head of the journal and of every report.
public struct RunHeader: Hashable, Sendable {
  public enum TimeKind: String, Sendable { case real, virtual }
  public var id: String
  public var version: String
  /// Wall-clock start, nanoseconds since 1970 UTC. Printed, never subtracted.
  public var startedAt: Int64
  /// The run's origin on the monotonic clock; every case time is relative to it.
  public var origin: HostTime
  public var hostName: String
  /// The id of the rig file; `nil`: the run had none.
  public var rig: String?
  public var seed: UInt64
  public var time: TimeKind
  /// The cases in schedule order: a report names those that never ran.
  public var cases: [PlannedCase]
  public init(
    id: String, version: String, startedAt: Int64, origin: HostTime, hostName: String, rig: String? = nil, seed: UInt64,
    time: TimeKind, cases: [PlannedCase]
  ) {
    self.id = id
    self.version = version
    self.startedAt = startedAt
    self.origin = origin
    self.hostName = hostName
    self.rig = rig
    self.seed = seed
    self.time = time
    self.cases = cases
  }
}

/// A case before it ran: enough to name it in a report of a run that was killed.
public struct PlannedCase: Hashable, Sendable {
  /// `success[transport=udp]`
  public var id: String
  public var plan: String
  public var title: String
  /// `nil`: no flow was driven, as for a capture that was only judged.
  public var flow: FlowID?
  /// The plan file, as the user named it.
  public var file: String
  /// The flow's stages in order.
  public var stages: [String]
  /// How many attempts the plan asks for; `nil`: one, or as many as a time takes.
  public var times: Int?
  public init(
    id: String, plan: String, title: String, flow: FlowID?, file: String, stages: [String], times: Int? = nil
  ) {
    self.id = id
    self.plan = plan
    self.title = title
    self.flow = flow
    self.file = file
    self.stages = stages
    self.times = times
  }
}

public struct StageRecord: Hashable, Sendable {
  public var id: String
  public var outcome: StageOutcome
  /// `nil`: the stage never began.
  public var began: HostTime?
  public var ended: HostTime?
  public var limit: Duration?
  /// Why it failed, was blocked or skipped.
  public var reason: String
  /// The plan expected this stage to fail.
  public var expectedToFail: Bool
  public init(
    id: String, outcome: StageOutcome, began: HostTime? = nil, ended: HostTime? = nil, limit: Duration? = nil,
    reason: String = "", expectedToFail: Bool = false
  ) {
    self.id = id
    self.outcome = outcome
    self.began = began
    self.ended = ended
    self.limit = limit
    self.reason = reason
    self.expectedToFail = expectedToFail
  }
  public var duration: Duration? {
    guard let began, let ended else { return nil }
    return ended - began
  }
}

/// A fault that the plan asked for, and whether it is proven to have fired.
public struct FaultRecord: Hashable, Sendable {
  public var text: String
  public var fired: Bool
  /// The changed or missing event, packet, lease or frame that proves it; or why there is none.
  public var proof: String
  public init(text: String, fired: Bool, proof: String) {
    self.text = text
    self.fired = fired
    self.proof = proof
  }
}

/// A check group that was run, with what it found.
public struct CheckGroupRecord: Hashable, Sendable {
  /// `rtp`, `rtcp`, `flow`, …
  public var group: String
  /// Checks that were judged.
  public var judged: [String]
  /// Why nothing was judged (`--no-capture`, no media, virtual time); empty where it was.
  public var skipped: String
  /// Why what was judged is too weak for a verdict (packets lost in the capture, a clock too coarse); empty: strong.
  public var inconclusive: String
  public var findings: [Finding]
  public init(group: String, judged: [String], skipped: String = "", inconclusive: String = "", findings: [Finding]) {
    self.group = group
    self.judged = judged
    self.skipped = skipped
    self.inconclusive = inconclusive
    self.findings = findings
  }
}

/// A number measured in a case.
public struct Measurement: Hashable, Sendable {
  public var name: String
  public var value: Double
  /// `s`, `fps`, `bit/s`, `%`, `packets`
  public var unit: String
  /// Where each of many samples was measured.
  public var distribution: Distribution?
  public init(_ name: String, _ value: Double, _ unit: String, distribution: Distribution? = nil) {
    self.name = name
    self.value = value
    self.unit = unit
    self.distribution = distribution
  }

  /// `value` with its unit: `7.2 s`
  public var text: String { Measurement.text(value, unit) }

  public static func text(_ value: Double, _ unit: String) -> String {
    PlainNumber(value).description + (unit.isEmpty ? "" : " \(unit)")
  }
}

/// A file in the case's folder, relative to the reports folder.
public struct Artifact: Hashable, Sendable {
  public var path: String
  public var title: String
  public init(path: String, title: String) {
    self.path = path
    self.title = title
  }
}

/// Everything that is known of one case when it is over: what reports are made of.
public struct RunRecord: Hashable, Sendable {
  public var planned: PlannedCase
  /// `emu-1`: how the rig calls the device.
  public var device: String
  /// 1 for the first.
  public var attempt: Int
  /// The plan asks for another attempt after this one.
  public var isFollowed: Bool
  /// The case is known to fail, and does not count.
  public var quarantine: Quarantine?
  public var seed: UInt64
  public var started: HostTime
  public var ended: HostTime
  public var verdict: Verdict
  /// One sentence that a person understands without the log.
  public var reason: String
  public var expectation: Expectation
  public var failurePoint: FailurePoint?
  public var reached: Gate?
  public var stages: [StageRecord]
  public var faults: [FaultRecord]
  public var checks: [CheckGroupRecord]
  public var measurements: [Measurement]
  /// The plan's limits on measurements, and how each was met.
  public var measures: [MeasureRecord]
  /// Firmware, model, agent, link, clock error, damaged records, capture: in the order to print.
  public var properties: [Property]
  public var artifacts: [Artifact]

  public struct Property: Hashable, Sendable {
    public var name: String
    public var value: String
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  public init(
    planned: PlannedCase, device: String, attempt: Int = 1, isFollowed: Bool = false, quarantine: Quarantine? = nil,
    seed: UInt64, started: HostTime, ended: HostTime,
    verdict: Verdict, reason: String, expectation: Expectation = Expectation(), failurePoint: FailurePoint? = nil,
    reached: Gate? = nil, stages: [StageRecord] = [], faults: [FaultRecord] = [], checks: [CheckGroupRecord] = [],
    measurements: [Measurement] = [], measures: [MeasureRecord] = [], properties: [Property] = [],
    artifacts: [Artifact] = []
  ) {
    self.planned = planned
    self.device = device
    self.attempt = attempt
    self.isFollowed = isFollowed
    self.quarantine = quarantine
    self.seed = seed
    self.started = started
    self.ended = ended
    self.verdict = verdict
    self.reason = reason
    self.expectation = expectation
    self.failurePoint = failurePoint
    self.reached = reached
    self.stages = stages
    self.faults = faults
    self.checks = checks
    self.measurements = measurements
    self.measures = measures
    self.properties = properties
    self.artifacts = artifacts
  }
}
