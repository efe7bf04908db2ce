public import RigModel
public import RigWire

/// The network path to a device, as a witness: it says whether the device's hotspot can be reached, and is gone.
public protocol Link: Sendable {
  var name: String { get }
  /// Tries to reach the access point once.
  /// - Returns: a fact of kind `link.joined` or `link.not-joined`.
  func probe(_ target: Hello.Probe?) async -> Fact
  /// Whether the access point still answers: `link.hotspot-gone` or `link.hotspot-still-up`.
  func probeGone(_ target: Hello.Probe?) async -> Fact
  /// Whether anything still listens where the media came from: `wire.port-closed` or `wire.port-still-open`.
  func probePort(host: String, port: UInt16) async -> Fact
}
