public import RigModel
public import RigWire

/// What a driver reports beside the answers to calls.
public enum DriverSignal: Sendable {
  case event(DeviceEvent)
  case deviceLog([UInt8])
  case controlLost(String)
  case controlBack
  case rebooted(from: String, to: String)
  /// Events that the device could not replay.
  case eventsLost(Int64)
  case damaged(String)
  /// What the transport itself showed: a stall, a time-out, an unplugged device.
  case fact(Fact)
}

/// Drives one device over its control link.
public protocol DeviceDriver: Sendable {
  /// Connects and greets; signals begin to arrive.
  /// - Throws: `DriverError` where the device cannot be reached or does not speak the protocol.
  func open(_ signal: @escaping @Sendable (DriverSignal) -> Void) async throws -> Hello
  /// Sends a request and waits for its reply.
  /// - Throws: `StageLinkError` as the device answered, or with code `timeout`.
  func call(_ method: String, _ params: JSONValue, timeout: Duration) async throws -> JSONValue
  func close() async
  /// Bound on the error of translated device times; `nil` before clock sync.
  func clockError() async -> Duration?
  func damagedCount() async -> Int
}

public struct DriverError: HostError, CustomStringConvertible, Sendable {
  public let description: String
  public let isOfHost: Bool
  public init(_ description: String, isOfHost: Bool = false) {
    self.description = description
    self.isOfHost = isOfHost
  }

  /// - Parameter cause: what failed on the way to the device.
  public init(_ where: String, cause: any Error) {
    self.init("\(`where`): \(cause)", isOfHost: (cause as? any HostError)?.isOfHost ?? false)
  }
}
