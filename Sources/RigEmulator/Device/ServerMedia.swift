public import RigLoop
public import RigModel

/// The real media of an emulated device: an RTSP server that plays an encoded clip.
public actor ServerMedia: MediaBackend {
  private let loop: EpollLoop
  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  private let address: SocketAddress
  private let clips: any ClipSource
  private var random: SplitMix64
  private var server: RTSPServer?
  /// A server whose sessions go on after their end (a fault).
  private var lingering: RTSPServer?

  public init(_ loop: EpollLoop, on address: SocketAddress, clips: any ClipSource, seed: UInt64) {
    self.loop = loop
    self.address = address
    self.clips = clips
    random = SplitMix64(seed: seed)
  }

  public func start(
    _ params: StreamParameters?, faults: [InjectedFault], acted: @escaping @Sendable (String) -> Void
  ) async throws -> StartedMedia {
    await stop(leakPort: false)
    let clip = try await clips.clip(for: params, ClipVariation(faults))
    let seed = faults.lazy.compactMap(\.seed).first
    let claims = FaultClaims(acted)
    let server = RTSPServer(
      loop: loop, address: address, clip: clip, random: seed.map { SplitMix64(seed: $0) } ?? random.split()
    ) { event in
      if case .faultActed(let name, _, _) = event { claims.acted(name) }
    }
    claims.faults = faults
    for fault in faults where ClipVariation(fault) != nil { acted(fault.id) }
    await server.setFaults(RTSPFaults(faults))
    try await server.start()
    self.server = server
    self.claims = claims
    return StartedMedia(address: await server.playURL ?? "", counterModulus: clip.video?.units.count)
  }

  private var claims: FaultClaims?

  public func change(faults: [InjectedFault]) async {
    claims?.faults = faults
    await server?.setFaults(RTSPFaults(faults))
  }

  public func deadAddress() -> String {
    // Port 1 of the device's own address: nothing in the emulator ever listens there.
    SocketAddress(host: address.host, port: 1).map { "rtsp://\($0)/live" } ?? ""
  }

  public func foreignAddress() -> String {
    // The next address: emulated devices are at 127.66.n.1, so nobody is there. Where the device has a single address
    // the host is one of those that exist in documents only (RFC 5737).
    let parts = address.host.split(separator: ".")
    let isLoopback = parts.count == 4 && parts[0] == "127"
    let host = isLoopback ? "\(parts[0]).\(parts[1]).\(parts[2]).254" : "192.0.2.1"
    return SocketAddress(host: host, port: address.port).map { "rtsp://\($0)/live" } ?? ""
  }

  public func stop(leakPort: Bool) async {
    if leakPort { return }
    await lingering?.stop()
    lingering = nil
    // The first stop leaves what ignores TEARDOWN; the next one ends it.
    if let server, await !server.stop(leavingWhatLingers: true) { lingering = server }
    server = nil
    claims = nil
  }
}

/// Claims each fault once, when the server says that it acted.
// Unchecked: touched only on the loop's thread.
private final class FaultClaims: @unchecked Sendable {
  var faults: [InjectedFault] = []
  private var claimed: Set<String> = []
  private let claim: @Sendable (String) -> Void
  init(_ claim: @escaping @Sendable (String) -> Void) { self.claim = claim }

  func acted(_ name: String) {
    for fault in faults where RTSPFault(injected: fault)?.name == name && claimed.insert(fault.id).inserted {
      claim(fault.id)
    }
  }
}

/// Where an emulated device gets its picture and sound.
public protocol ClipSource: Sendable {
  /// - Parameters:
  ///   - params: `nil`: the device's defaults.
  ///   - variation: what faults make of it.
  func clip(for params: StreamParameters?, _ variation: ClipVariation) async throws -> Clip
}
