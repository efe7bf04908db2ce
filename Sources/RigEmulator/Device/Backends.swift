public import RigModel

/// The emulated device's access point: real (a TCP port that answers while it is up) or simulated.
public protocol HotspotBackend: Sendable {
  func up() async throws
  func down() async
  /// What hello announces.
  var probe: (host: String, port: UInt16) { get }
}

/// The emulated device's encoder and RTSP server: real or simulated.
public protocol MediaBackend: Sendable {
  /// Begins to encode and listen.
  /// - Parameters:
  ///   - params: `nil`: the device's defaults.
  ///   - faults: deviations of the wire that were injected for this run.
  func start(_ params: StreamParameters?, faults: [InjectedFault]) async throws -> StartedMedia
  /// An address of the same kind at which nobody listens.
  func deadAddress() async -> String
  /// - Parameter leakPort: the sessions end, the port stays open.
  func stop(leakPort: Bool) async
}

/// A stream that can be played.
public struct StartedMedia: Sendable {
  /// The RTSP address.
  public var address: String
  /// After how many frames the number in the picture begins again; `nil`: there is none.
  public var counterModulus: Int?
  public init(address: String, counterModulus: Int? = nil) {
    self.address = address
    self.counterModulus = counterModulus
  }
}

/// A fault that the harness injected with `inject`.
public struct InjectedFault: Hashable, Sendable {
  public var id: String
  public var verb: String
  public var stage: StageID
  public var arguments: JSONValue
  public var remaining: Int64
  /// Host time at which it dies; `nil`: at run end.
  public var expires: HostTime?

  public init(
    id: String, verb: String, stage: StageID, arguments: JSONValue, remaining: Int64 = 1, expires: HostTime? = nil
  ) {
    self.id = id
    self.verb = verb
    self.stage = stage
    self.arguments = arguments
    self.remaining = remaining
    self.expires = expires
  }

  /// An argument's text, cut so that it fits a record however it must be escaped.
  public func text(_ name: String) -> String? {
    arguments[name]?.string.map { String($0.unicodeScalars.prefix(512)) }
  }

  /// An argument in milliseconds, as `Duration`.
  public func duration(_ name: String) -> Duration? {
    arguments[name]?.integer.map { .milliseconds(max(0, min($0, 3_600_000))) }
  }
}
