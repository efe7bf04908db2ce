public import RigModel

/// Compares what was measured with what a plan demands of it.
public struct MeasureRule: Sendable {
  private let measurements: [Measurement]
  private let missing: @Sendable (MeasurementInfo) -> String?
  private let lag: Duration?

  /// - Parameters:
  ///   - missing: why a measurement was not made, or cannot be relied on; `nil`: nothing stood in its way.
  ///   - lag: how late the harness itself was; what exceeds a limit by less is not established.
  public init(
    _ measurements: [Measurement], lag: Duration? = nil, missing: @escaping @Sendable (MeasurementInfo) -> String?
  ) {
    self.measurements = measurements
    self.missing = missing
    self.lag = lag
  }

  /// One record for each demand, in the order of the plan.
  public func judge(_ limits: [MeasureLimit]) -> [MeasureRecord] {
    limits.flatMap { limit in limit.demands.map { judge(limit, $0) } }
  }

  private func judge(_ limit: MeasureLimit, _ demand: MeasureLimit.Demand) -> MeasureRecord {
    let info = MeasurementCatalog.info(limit.measurement)
    var record = MeasureRecord(
      measurement: limit.measurement, limit: "\(demand.bound.rawValue) \(demand.value.text)", value: "",
      outcome: .notMade, source: info?.source.rawValue ?? "nobody", reason: "", stage: info?.stage ?? .running)
    func notMade(_ why: String) -> MeasureRecord {
      record.reason = "\(limit.measurement) was not measured: \(why) (limit: \(record.limit))"
      return record
    }
    guard let info else { return notMade("no such measurement") }
    if let why = missing(info) { return notMade(why) }
    guard let measurement = measurements.first(where: { $0.name == limit.measurement }) else {
      return notMade("no \(info.source.rawValue == "stage times" ? "such stages passed" : "such media was seen")")
    }
    guard let number = MeasureRule.number(measurement, demand.bound), number.isFinite else {
      return notMade("\(demand.bound.rawValue) needs many samples, and there is one number")
    }
    let bound = demand.bound == .min || demand.bound == .max ? "" : "\(demand.bound.rawValue) "
    record.value = bound + Measurement.text(number, measurement.unit)
    let samples = measurement.distribution.map { " over \($0.samples) samples" } ?? ""
    record.reason =
      "\(limit.measurement) is \(record.value), limit \(record.limit)\(samples) (source: \(record.source))"
    let excess = demand.bound == .min ? demand.value.number - number : number - demand.value.number
    if excess > 0 {
      record.outcome = .exceeded
      if let lag, info.source == .stages, excess < lag.inSeconds {
        record.outcome = .notMade
        record.reason += "; the harness itself was late by \(lag.text)"
      }
    } else if let marginal = limit.marginal {
      let near = demand.bound == .min ? marginal.number > number : number > marginal.number
      record.outcome = near ? .marginal : .met
      if near { record.reason += "; marginal from \(marginal.text)" }
    } else {
      record.outcome = .met
    }
    return record
  }

  private static func number(_ measurement: Measurement, _ bound: MeasureLimit.Bound) -> Double? {
    guard let distribution = measurement.distribution else {
      return bound.isPercentile ? nil : measurement.value
    }
    return switch bound {
    case .min: distribution.minimum
    case .max: distribution.maximum
    case .p50: distribution.p50
    case .p90: distribution.p90
    case .p95: distribution.p95
    case .p99: distribution.p99
    }
  }
}
