/// Where something stands in a plan file. Line and column are 1-based.
public struct SourcePosition: Hashable, Sendable, CustomStringConvertible {
  public var file: String
  public var line: Int
  public var column: Int
  public init(file: String, line: Int, column: Int) {
    self.file = file
    self.line = line
    self.column = column
  }
  public var description: String { "\(file):\(line):\(column)" }
}

public enum MediaTransport: String, CaseIterable, Sendable { case udp, tcp }

/// The three stream parameters of `rtsp-hotspot`.
public struct StreamParameters: Hashable, Sendable {
  /// 0 = the device's default.
  public var bitrate: BitRate
  /// 0 = lossless; larger = more compression.
  public var qualityFactor: Int
  /// P/B frames between I frames: GOP length = interval + 1.
  public var iFrameInterval: Int
  public init(bitrate: BitRate, qualityFactor: Int, iFrameInterval: Int) {
    self.bitrate = bitrate
    self.qualityFactor = qualityFactor
    self.iFrameInterval = iFrameInterval
  }
}

/// An argument of a fault, read according to the catalog's type.
public enum FaultArgument: Hashable, Sendable {
  case duration(Duration)
  case integer(Int64)
  case text(String)
  case flag(Bool)
  case percent(Percent)
  case bitRate(BitRate)
}

/// A deviation that the plan asks for: `{at: enter-live-mode, do: hang}`.
public struct FaultRequest: Hashable, Sendable {
  public var stage: StageID
  public var verb: String
  public var arguments: [String: FaultArgument]
  /// When it begins; `nil`: it stands ready from the start of the session on, and acts at its stage.
  public var moment: Moment?
  /// How long it stands ready once it has begun; `nil`: until it has acted, or the session is over.
  public var lasting: Duration?
  public var position: SourcePosition?
  public init(
    at stage: StageID, do verb: String, arguments: [String: FaultArgument] = [:], moment: Moment? = nil,
    lasting: Duration? = nil, position: SourcePosition? = nil
  ) {
    self.stage = stage
    self.verb = verb
    self.arguments = arguments
    self.moment = moment
    self.lasting = lasting
    self.position = position
  }
  /// `hang at enter-live-mode`, `stall at running + 5 s`
  public var text: String { "\(verb) at \(moment.map { "\($0)" } ?? stage.rawValue)" }
}

/// What must happen. Empty: the session succeeds and ends by user stop.
public struct Expectation: Hashable, Sendable {
  public var failed: FailurePoint?
  public var reached: Gate?
  public var never: [String]
  public init(failed: FailurePoint? = nil, reached: Gate? = nil, never: [String] = []) {
    self.failed = failed
    self.reached = reached
    self.never = never
  }
}

/// What a plan says of a check: judge it as the catalogue does, only as a policy, or not at all.
public enum CheckSetting: String, CaseIterable, Sendable { case on, policy, off }

/// A validated test plan: only what deviates from the flow.
public struct Plan: Hashable, Sendable {
  public var id: String
  public var title: String
  public var flow: FlowID
  public var tags: [String]
  public var needs: [String]
  /// Glob over the rig's device models; `*` takes any.
  public var deviceModel: String
  /// `nil`: the device's defaults.
  public var params: StreamParameters?
  public var transport: MediaTransport
  /// Media time between `active` and the stop.
  public var playFor: Duration
  /// When the user stops; `nil`: after `playFor`.
  public var stop: Moment?
  /// Limits by name (a stage, `media-gap`, `quiet-wire`) that deviate from the flow's.
  public var limits: [String: Duration]
  public var faults: [FaultRequest]
  public var expect: Expectation
  /// Limits on measurements, in the order of the file.
  public var measure: [MeasureLimit]
  public var checks: [String: CheckSetting]
  /// `nil`: the case runs once.
  public var repetition: Repetition?
  public var quarantine: Quarantine?
  /// Unknown device events fail the run.
  public var strict: Bool
  public var position: SourcePosition

  public init(
    id: String, title: String, flow: FlowID, tags: [String] = [], needs: [String] = [], deviceModel: String = "*",
    params: StreamParameters? = nil, transport: MediaTransport = .tcp, playFor: Duration = .seconds(5),
    stop: Moment? = nil,
    limits: [String: Duration] = [:], faults: [FaultRequest] = [], expect: Expectation = Expectation(),
    measure: [MeasureLimit] = [],
    checks: [String: CheckSetting] = [:], repetition: Repetition? = nil, quarantine: Quarantine? = nil,
    strict: Bool = false, position: SourcePosition
  ) {
    self.id = id
    self.title = title
    self.flow = flow
    self.tags = tags
    self.needs = needs
    self.deviceModel = deviceModel
    self.params = params
    self.transport = transport
    self.playFor = playFor
    self.stop = stop
    self.limits = limits
    self.faults = faults
    self.expect = expect
    self.measure = measure
    self.checks = checks
    self.repetition = repetition
    self.quarantine = quarantine
    self.strict = strict
    self.position = position
  }
}

/// One cell of a plan's matrix, or the plan itself where it has none: what the runner executes.
public struct Case: Hashable, Sendable {
  /// `mode-entry-timeout[transport=udp]`; stable from run to run.
  public var id: String
  /// The plan with this cell's values applied.
  public var plan: Plan
  public var cell: [CellValue]
  /// Derived from the run's seed and `id`, so that a case repeats alike whatever runs beside it.
  public var seed: UInt64

  public struct CellValue: Hashable, Sendable {
    public var key: String
    public var value: String
    public init(key: String, value: String) {
      self.key = key
      self.value = value
    }
  }

  public init(id: String, plan: Plan, cell: [CellValue], seed: UInt64) {
    self.id = id
    self.plan = plan
    self.cell = cell
    self.seed = seed
  }
}
