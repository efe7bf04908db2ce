public import RigModel
public import RigWire

/// The network path to a device, as a witness: it says whether the device's hotspot can be reached, and is gone.
public protocol Link: Sendable {
  var name: String { get }
  /// False where the harness is not on the device's network: what its facts say of the hotspot is only that.
  var isWitness: Bool { get }
  /// The device names its hotspot: a station of the harness's own joins it, in the device's place or as a witness.
  /// - Returns: `link.joined`, `link.not-joined` or `link.station-failed`; `nil` where the harness has no station and
  ///   reaches the device anyhow, and where another join took the place of this one: `probe` tells how that went.
  func join(_ request: JoinRequest) async -> Fact?
  /// Tries to reach the access point once.
  /// - Returns: a fact of kind `link.joined`, `link.not-joined` or `link.station-failed`.
  func probe(_ target: Hello.Probe?) async -> Fact
  /// Whether the access point still answers: `link.hotspot-gone`, `link.hotspot-still-up` or `link.station-failed`.
  func probeGone(_ target: Hello.Probe?) async -> Fact
  /// Whether anything still listens where the media came from: `wire.port-closed`, `wire.port-still-open` or
  /// `link.station-failed`.
  func probePort(host: String, port: UInt16) async -> Fact

  /// Calls `see` with what the link notices by itself: facts of kind `link.lost` or `link.station-failed`. Replaces an
  /// earlier listener.
  func watch(_ see: @escaping @Sendable (Fact) -> Void) async
  /// Begins a fault of the network path itself; it ends as its arguments say, or with the case.
  /// - Returns: a token for `proof`.
  /// - Throws: `LinkFaultRefused` where this link cannot do it.
  func begin(_ fault: FaultRequest) async throws -> Int
  /// What the link counted of a fault that it began; `nil`: nothing met it so far.
  func proof(of token: Int) async -> String?
}

/// Details of a `link.hotspot-gone` for which nothing was looked: no hotspot is known that could be there.
public enum HotspotNotSought: String, Sendable {
  case noProbePort = "no probe port is announced"
  /// Over Wi-Fi, before a session.
  case noHotspotNamed = "the device named no hotspot"
  /// Another's phone joins it.
  case notOnItsNetwork = "not judged: the harness is not on the device's network"
}

/// Why a link does not perform a fault.
public struct LinkFaultRefused: Error, CustomStringConvertible {
  public let description: String
  public init(_ description: String) { self.description = description }
}

/// A link that is only a witness.
extension Link {
  public var isWitness: Bool { true }
  public func join(_ request: JoinRequest) async -> Fact? { nil }
  public func watch(_ see: @escaping @Sendable (Fact) -> Void) async {}
  public func begin(_ fault: FaultRequest) async throws -> Int {
    throw LinkFaultRefused("the \(name) link carries no frames that could be impaired: run with --link namespace")
  }
  public func proof(of token: Int) async -> String? { nil }
}
