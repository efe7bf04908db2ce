public import RigModel

/// An `event` notification as it stands on the wire: `event{seq, boot, run, t, name, src, …}`.
public struct StageLinkEvent: Hashable, Sendable {
  /// Gapless per boot, from 1.
  public var sequence: Int64
  public var boot: String
  public var run: String?
  /// The device's monotonic clock in microseconds, taken at the callback.
  public var deviceTime: Int64
  public var name: String
  public var source: String
  /// The members that belong to this event alone.
  public var data: JSONValue

  private static let common: Set<String> = ["seq", "boot", "run", "t", "name", "src"]

  public init(
    sequence: Int64, boot: String, run: String?, deviceTime: Int64, name: String, source: String, data: JSONValue
  ) {
    self.sequence = sequence
    self.boot = boot
    self.run = run
    self.deviceTime = deviceTime
    self.name = name
    self.source = source
    self.data = data
  }

  public init?(params: JSONValue) {
    guard let members = params.members, let sequence = params["seq"]?.integer, let name = params["name"]?.string,
      let boot = params["boot"]?.string, let t = params["t"]?.integer
    else { return nil }
    self.init(
      sequence: sequence, boot: boot, run: params["run"]?.string, deviceTime: t, name: name,
      source: params["src"]?.string ?? "", data: .object(members.filter { !StageLinkEvent.common.contains($0.key) }))
  }

  public var params: JSONValue {
    .object(
      [
        JSONValue.Member("seq", .integer(sequence)), JSONValue.Member("boot", .string(boot)),
        JSONValue.Member("run", run.map { .string($0) } ?? .null), JSONValue.Member("t", .integer(deviceTime)),
        JSONValue.Member("name", .string(name)), JSONValue.Member("src", .string(source)),
      ] + (data.members ?? []))
  }
}
