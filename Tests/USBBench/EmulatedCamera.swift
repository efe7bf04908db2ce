import CMockUSB
import Glibc
import RigDevice
import RigEmulator
import RigLoop
import RigModel

/// An emulated device whose only control link is the bulk pair of a USB device.
// Unchecked: touched only on the loop's thread.
final class EmulatedCamera: PluggedDevice, @unchecked Sendable {
  let device: EmulatedDevice
  let port: String
  private let bench: Bench
  let bus: MockPlug
  private let life: Task<Void, any Error>
  private var spec = MockBus.Spec()
  /// Counts how often it was plugged in or out: what an older bulk pair does is of no interest.
  private var generation = 0

  /// - Parameters:
  ///   - startTakes: ms until the device reports the session's start.
  ///   - isUnderTest: the agent is the subject itself.
  ///   - refusesReset: the agent cannot reset it.
  ///   - addressTakes: ms from the join to the address.
  init(
    _ bench: Bench, port: String = "1-1", seed: UInt64 = 1, startTakes: Int = 2, isUnderTest: Bool = false,
    addressTakes: Int = 2, refusesReset: Bool = false
  ) throws {
    self.bench = bench
    self.port = port
    var profile = DeviceProfile.flagship
    profile.pace.configureHotspot = 1...3
    profile.pace.enterLiveMode = 1...3
    profile.pace.openHotspot = 1...3
    profile.pace.join = 1...3
    profile.pace.address = addressTakes...addressTakes
    profile.pace.sessionStart = startTakes...startTakes
    profile.pace.stop = 1...3
    profile.pace.reboot = 1...3
    profile.pace.between = 0...1
    profile.isUnderTest = isUnderTest
    profile.refusesReset = refusesReset
    let plug = MockPlug(bench)
    bus = plug
    let free = try EmulatedCamera.freePort(bench.loop, port)
    let device = EmulatedDevice(
      bench.loop, profile: profile, serial: "SN\(port)", seed: seed, hotspot: PortHotspot(bench.loop, on: free),
      media: SilentMedia(loop: bench.loop), guarded: true, plug: plug)
    self.device = device
    life = bench.loop.spawn { try await device.live() }
    plug.device = self
  }

  /// Plugs it in. The agent does not know that the host opens and closes the interface: it has one endless channel.
  nonisolated(nonsending) func plug(_ spec: MockBus.Spec? = nil) async throws {
    var spec = spec ?? MockBus.Spec()
    spec.port = port
    if spec.serial == MockBus.Spec().serial { spec.serial = "SN\(port)" }
    self.spec = spec
    generation += 1
    let mine = generation
    let stream = try bench.bus.plug(bench.loop, spec)
    let pair = BulkPair(stream: stream, heard: { [bus] in bus.hear($0) }) { [weak self] in self?.dropped(mine) }
    guard await device.accept(pair) else { throw BenchError("the device takes no channel") }
  }

  nonisolated(nonsending) func plugBack() async throws { try await plug(spec) }

  func unplug() {
    generation += 1
    bench.bus.unplug(port)
  }

  /// The device let its control link go, which it does when it boots: it leaves the bus, and comes back later.
  private func dropped(_ mine: Int) {
    guard mine == generation else { return }
    let camera = self
    bench.loop.spawn {
      // Its last words are the host's before it goes.
      try await camera.bench.until("all was read") { camera.bench.bus.facts(camera.port).unread == 0 }
      try await camera.bench.loop.sleep(for: .milliseconds(20))
      guard camera.generation == mine else { return }
      camera.unplug()
      while (try? await camera.plug(camera.spec)) == nil {
        camera.unplug()
        try await camera.bench.loop.sleep(for: .milliseconds(20))
      }
    }
  }

  func end() { life.cancel() }

  /// A port where nobody listens now, at an address that no other device of any bench uses.
  private static func freePort(_ loop: EpollLoop, _ port: String) throws -> SocketAddress {
    let process = getpid() & 0xFFFF
    let number = port.split { $0 == "-" || $0 == "." }.last.flatMap { Int($0) } ?? 0
    let host = "127.\(80 + number & 0x3F).\(process >> 8).\(process & 0xFF)"
    guard let any = SocketAddress(host: host, port: 0) else {
      throw BenchError("no loopback")
    }
    let listener = try TCPListener(loop, on: any)
    defer { listener.close() }
    return listener.address
  }
}

/// The firmware's end of the bulk pair.
// Unchecked: touched only on the loop's thread.
private final class BulkPair: ByteChannel, @unchecked Sendable {
  private let stream: ByteStream
  private let heard: ([UInt8]) -> Void
  private let dropped: () -> Void
  private var isClosed = false

  init(stream: ByteStream, heard: @escaping ([UInt8]) -> Void, _ dropped: @escaping () -> Void) {
    self.stream = stream
    self.heard = heard
    self.dropped = dropped
  }

  nonisolated(nonsending) func read() async throws -> [UInt8] { try await stream.read() }
  nonisolated(nonsending) func write(_ bytes: [UInt8]) async throws {
    heard(bytes)
    try await stream.write(bytes)
  }
  func close() {
    guard !isClosed else { return }
    isClosed = true
    stream.close()
    dropped()
  }
}

/// Media that nobody plays.
private struct SilentMedia: MediaBackend {
  let loop: EpollLoop
  func start(
    _ params: StreamParameters?, faults: [InjectedFault], acted: @escaping @Sendable (String) -> Void
  ) async throws -> StartedMedia {
    StartedMedia(address: "rtsp://127.0.0.1:1/live")
  }
  func change(faults: [InjectedFault]) async {}
  func foreignAddress() async -> String { "rtsp://127.0.0.2:1/live" }
  func deadAddress() async -> String { "rtsp://127.0.0.1:1/dead" }
  // As a server that is being stopped, it takes a moment: a reply that is on its way goes out before a boot.
  func stop(leakPort: Bool) async { try? await loop.sleep(for: .milliseconds(1)) }
}
