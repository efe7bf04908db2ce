/// What a plan demands of a measurement: `rtp.jitter: {p95: 15 ms, marginal: 12 ms}`.
public struct MeasureLimit: Hashable, Sendable {
  /// What of the measurement is compared, and how. All but `min` are upper limits.
  public enum Bound: String, CaseIterable, Sendable {
    case min, max, p50, p90, p95, p99
    public var isPercentile: Bool { self != .min && self != .max }
  }

  /// A number in the measurement's own unit, and as the plan spells it.
  public struct Value: Hashable, Sendable {
    public var number: Double
    public var text: String
    public init(_ number: Double, _ text: String) {
      self.number = number
      self.text = text
    }
  }

  public struct Demand: Hashable, Sendable {
    public var bound: Bound
    public var value: Value
    public init(_ bound: Bound, _ value: Value) {
      self.bound = bound
      self.value = value
    }
  }

  public var measurement: String
  public var demands: [Demand]
  /// From here to the limit a case passes with a warning; only beside a single demand.
  public var marginal: Value?
  public var position: SourcePosition?

  public init(
    _ measurement: String, _ demands: [Demand], marginal: Value? = nil, position: SourcePosition? = nil
  ) {
    self.measurement = measurement
    self.demands = demands
    self.marginal = marginal
    self.position = position
  }

  /// `rtp.loss max 0.1 %`
  public var text: String {
    measurement + " " + demands.map { "\($0.bound.rawValue) \($0.value.text)" }.joined(separator: " ")
  }
}

/// How a limit on a measurement was met.
public struct MeasureRecord: Hashable, Sendable {
  public enum Outcome: String, CaseIterable, Sendable {
    case met
    /// Met, and so near to the limit that the plan wants a warning.
    case marginal
    case exceeded
    /// There is no number to compare, or none that can be relied on.
    case notMade = "not made"
  }

  public var measurement: String
  /// `max 8 s`
  public var limit: String
  /// `7.2 s`; empty where there is none.
  public var value: String
  public var outcome: Outcome
  /// Who measured it: `stage times`, `decoder`, `capture`.
  public var source: String
  /// A sentence: the value, the limit, the source; or why there is no value.
  public var reason: String
  /// The stage that is to blame.
  public var stage: StageID

  public init(
    measurement: String, limit: String, value: String, outcome: Outcome, source: String, reason: String, stage: StageID
  ) {
    self.measurement = measurement
    self.limit = limit
    self.value = value
    self.outcome = outcome
    self.source = source
    self.reason = reason
    self.stage = stage
  }
}
