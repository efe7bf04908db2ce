public import RigModel

/// The emulated device's access point: real (a TCP port that answers while it is up) or simulated.
public protocol HotspotBackend: Sendable {
  func up() async throws
  func down() async
  /// Waits for what `up` and `down` left to be done.
  func settle() async
  /// What hello announces.
  var probe: (host: String, port: UInt16) { get }
}

extension HotspotBackend {
  public func settle() async {}
}

/// The bus that carries an emulated device's control link, where it is one that can fail by itself. Used on the device's
/// loop.
public protocol PlugBackend: Sendable {
  /// Makes the bus fail; returns when it does. A device that is to leave says its last words before.
  nonisolated(nonsending) func perform(_ fault: PlugFault) async
  /// What has no end of its own ends now.
  func restore()
}

/// The emulated device's encoder and RTSP server: real or simulated.
public protocol MediaBackend: Sendable {
  /// Begins to encode and listen.
  /// - Parameters:
  ///   - params: `nil`: the device's defaults.
  ///   - faults: deviations of the wire that are in force.
  ///   - acted: called with a fault's id when it first acts.
  func start(
    _ params: StreamParameters?, faults: [InjectedFault], acted: @escaping @Sendable (String) -> Void
  ) async throws -> StartedMedia
  /// Other faults are in force from now on; what was decided at the start of the media stays as it is.
  func change(faults: [InjectedFault]) async
  /// An address of the same kind at which nobody listens.
  func deadAddress() async -> String
  /// An address of the same kind that names another host.
  func foreignAddress() async -> String
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
