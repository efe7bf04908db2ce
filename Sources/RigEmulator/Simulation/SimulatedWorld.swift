public import RigDevice
public import RigLoop
public import RigModel
public import RigWire

/// What would be true on a bench, for `--simulate`: whether the access point is up and the media flows.
///
/// The device's simulated backends write it; the simulated witnesses read it, and nothing else does.
// Unchecked: touched only on the loop's thread.
public final class SimulatedWorld: @unchecked Sendable {
  let loop: Loop
  fileprivate(set) var hotspotIsUp = false
  fileprivate(set) var portIsOpen = false
  fileprivate(set) var mediaFlows = false {
    didSet { if oldValue != mediaFlows { mediaChanged(mediaFlows) } }
  }
  fileprivate var mediaChanged: @Sendable (Bool) -> Void = { _ in }

  public init(_ loop: Loop) { self.loop = loop }

  static let address = "rtsp://192.0.2.1:8554/live"
}

public struct SimulatedHotspot: HotspotBackend {
  let world: SimulatedWorld
  public init(_ world: SimulatedWorld) { self.world = world }
  public var probe: (host: String, port: UInt16) { ("192.0.2.1", 7) }
  public func up() async throws { world.hotspotIsUp = true }
  public func down() async { world.hotspotIsUp = false }
}

public struct SimulatedMedia: MediaBackend {
  let world: SimulatedWorld
  public init(_ world: SimulatedWorld) { self.world = world }
  public func start(
    _ params: StreamParameters?, faults: [InjectedFault], acted: @escaping @Sendable (String) -> Void
  ) async throws -> StartedMedia {
    world.portIsOpen = true
    world.mediaFlows = true
    return StartedMedia(address: SimulatedWorld.address)
  }
  public func change(faults: [InjectedFault]) async {}
  public func deadAddress() async -> String { "rtsp://192.0.2.1:1/live" }
  public func foreignAddress() async -> String { "rtsp://198.51.100.1:8554/live" }
  public func stop(leakPort: Bool) async {
    world.portIsOpen = leakPort
    world.mediaFlows = false
  }
}

/// The link as a witness in virtual time.
public struct SimulatedLink: Link {
  private let world: SimulatedWorld
  public init(_ world: SimulatedWorld) { self.world = world }
  public var name: String { "simulated" }

  public func probe(_ target: Hello.Probe?) async -> Fact {
    world.hotspotIsUp
      ? Fact(
        .linkJoined, by: .link, at: world.loop.now, detail: "simulated access point answers",
        data: ["host": .string(target?.host ?? "")])
      : Fact(.linkNotJoined, by: .link, at: world.loop.now, detail: "the simulated access point does not answer")
  }

  public func probeGone(_ target: Hello.Probe?) async -> Fact {
    world.hotspotIsUp
      ? Fact(.hotspotStillUp, by: .link, at: world.loop.now, detail: "the simulated access point still answers")
      : Fact(.hotspotGone, by: .link, at: world.loop.now)
  }

  public func probePort(host: String, port: UInt16) async -> Fact {
    world.portIsOpen
      ? Fact(.portStillOpen, by: .link, at: world.loop.now, detail: "the simulated RTSP port still answers")
      : Fact(.portClosed, by: .link, at: world.loop.now)
  }
}

/// The player in virtual time: a key frame 200 ms after opening an address where media flows.
public actor SimulatedPlayer: MediaProbe {
  private let world: SimulatedWorld
  public nonisolated var unownedExecutor: UnownedSerialExecutor { world.loop.asUnownedSerialExecutor() }
  private var signal: @Sendable (MediaSignal) -> Void = { _ in }
  private var isOpen = false

  public init(_ world: SimulatedWorld) { self.world = world }

  public func open(
    _ url: String, transport: MediaTransport, counterModulus: Int?, _ signal: @escaping @Sendable (MediaSignal) -> Void
  ) async {
    self.signal = signal
    isOpen = true
    guard url == SimulatedWorld.address, world.portIsOpen else {
      signal(.fact(Fact(.mediaUnreachable, by: .media, at: world.loop.now, detail: "connection refused (simulated)")))
      return
    }
    world.mediaChanged = { [weak self] flows in
      guard let self, !flows else { return }
      self.assumeIsolated { $0.ended() }
    }
    try? await world.loop.sleep(for: .milliseconds(200))
    guard isOpen, world.mediaFlows else { return }
    signal(.fact(Fact(.keyFrame, by: .media, at: world.loop.now, detail: "simulated")))
  }

  private func ended() {
    guard isOpen else { return }
    signal(.fact(Fact(.mediaEnded, by: .media, at: world.loop.now, detail: "simulated stream ended")))
  }

  public func close() async {
    isOpen = false
    world.mediaChanged = { _ in }
  }
}
