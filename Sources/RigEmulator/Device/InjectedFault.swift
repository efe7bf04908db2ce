import RigFlow
public import RigModel

/// A fault that the harness injected with `inject`.
public struct InjectedFault: Hashable, Sendable {
  /// When it acts.
  public enum Place: Hashable, Sendable {
    /// When the device is at this stage.
    case stage(StageID)
    /// That long after the run began, or at the first stage after it where it makes sense.
    case after(Duration)
  }

  public var id: String
  /// The id in the catalog: `rtp.drop`.
  public var fault: String
  public var verb: String
  public var place: Place
  public var arguments: JSONValue
  /// How often it may still act; `nil`: as often as it can.
  public var remaining: Int64?
  /// Host time at which it dies; `nil`: at run end.
  public var expires: HostTime?

  init(
    id: String, _ definition: FaultDefinition, at place: Place, arguments: JSONValue, remaining: Int64? = 1,
    expires: HostTime? = nil
  ) {
    self.id = id
    fault = definition.id
    verb = definition.verb
    self.place = place
    self.arguments = arguments
    self.remaining = remaining
    self.expires = expires
  }

  var definition: FaultDefinition? { FaultCatalog.named(fault).first }

  /// An argument's text, cut so that it fits a record however it must be escaped; else what the catalog says.
  public func text(_ name: String) -> String? {
    if let text = arguments[name]?.string { return String(text.unicodeScalars.prefix(512)) }
    if case .text(let text)? = definition?.standard(name) { return text }
    return nil
  }

  /// An argument in milliseconds, as `Duration`; else what the catalog says.
  public func duration(_ name: String) -> Duration? {
    if let ms = arguments[name]?.integer { return .milliseconds(max(0, min(ms, 3_600_000))) }
    if case .duration(let duration)? = definition?.standard(name) { return duration }
    return nil
  }

  /// An argument that is a number, brought into `range`; else what the catalog says; else the least.
  public func number(_ name: String, in range: ClosedRange<Int>) -> Int {
    var number = arguments[name]?.integer
    switch definition?.standard(name) {
    case .integer(let standard)?: number = number ?? standard
    case .bitRate(let rate)?: number = number ?? rate.bitsPerSecond
    default: break
    }
    return number.map { Int(clamping: max(Int64(range.lowerBound), min(Int64(range.upperBound), $0))) }
      ?? range.lowerBound
  }

  /// The seed that the harness gave it.
  public var seed: UInt64? { arguments["seed"]?.integer.map { UInt64(bitPattern: $0) } }
}
