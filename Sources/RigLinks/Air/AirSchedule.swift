public import RigModel

/// One thing that the air does, at its strength.
public enum AirEffect: Hashable, Sendable, CustomStringConvertible {
  case loss(Percent)
  case delay(Duration)
  case jitter(Duration)
  case reorder(Percent)
  case duplicate(Percent)
  case corrupt(Percent)
  case rate(BitRate)
  case blackout
  /// The station's interface loses its carrier. Acts on the link, not on a direction.
  case noCarrier

  public var description: String {
    switch self {
    case .loss(let x): "loss \(x)"
    case .delay(let x): "delay \(x.text)"
    case .jitter(let x): "jitter \(x.text)"
    case .reorder(let x): "reorder \(x)"
    case .duplicate(let x): "duplicate \(x)"
    case .corrupt(let x): "corrupt \(x)"
    case .rate(let x): "rate \(x)"
    case .blackout: "blackout"
    case .noCarrier: "no carrier"
    }
  }

  public func apply(to impairment: inout Impairment) {
    switch self {
    case .loss(let x): impairment.loss = x
    case .delay(let x): impairment.delay = x
    case .jitter(let x): impairment.jitter = x
    case .reorder(let x): impairment.reorder = x
    case .duplicate(let x): impairment.duplicate = x
    case .corrupt(let x): impairment.corrupt = x
    case .rate(let x): impairment.rate = x
    case .blackout: impairment.isBlackedOut = true
    case .noCarrier: break
    }
  }
}

/// Effects with a beginning and an end, laid over the impairment that holds otherwise.
public struct AirSchedule: Sendable {
  public struct Entry: Hashable, Sendable {
    public var effect: AirEffect
    public var directions: Set<AirDirection>
    public var from: HostTime
    /// `nil`: until the next case.
    public var until: HostTime?

    public init(_ effect: AirEffect, _ directions: Set<AirDirection>, from: HostTime, until: HostTime? = nil) {
      self.effect = effect
      self.directions = directions
      self.from = from
      self.until = until
    }

    func isInForce(at time: HostTime) -> Bool { from <= time && until.map { time < $0 } ?? true }
  }

  /// What holds when nothing is scheduled.
  public var standing: [AirDirection: Impairment] = [:]
  /// In the order in which they were asked for; of two that say the same thing the later one counts.
  public private(set) var entries: [Entry] = []

  public init() {}

  public mutating func add(_ entry: Entry) { entries.append(entry) }

  public func impairment(_ direction: AirDirection, at time: HostTime) -> Impairment {
    var result = standing[direction] ?? .none
    for entry in entries where entry.directions.contains(direction) && entry.isInForce(at: time) {
      entry.effect.apply(to: &result)
    }
    return result
  }

  public func hasCarrier(at time: HostTime) -> Bool {
    !entries.contains { $0.effect == .noCarrier && $0.isInForce(at: time) }
  }

  /// The next moment after `time` at which something begins or ends.
  public func nextChange(after time: HostTime) -> HostTime? {
    entries.lazy.flatMap { [$0.from, $0.until].compactMap { $0 } }.filter { $0 > time }.min()
  }
}
