import RigDevice
import RigDrivers
import RigEmulator
import RigLoop
import RigModel
import RigTestSupport

/// An emulated device at the other end of a wire that can be cut, and a driver.
// Unchecked: touched only on the loop's thread.
final class DriverBench: @unchecked Sendable {
  let loop: Loop
  let device: EmulatedDevice
  let opener: BenchOpener
  let driver: StageLinkDriver
  let log: SignalLog
  private let life: Task<Void, any Error>

  init(_ loop: Loop, seed: UInt64 = 1) {
    self.loop = loop
    let world = SimulatedWorld(loop)
    let device = EmulatedDevice(
      loop, profile: .flagship, serial: "T1", seed: seed, hotspot: SimulatedHotspot(world), media: SimulatedMedia(world)
    )
    self.device = device
    let opener = BenchOpener { channel in device.assumeIsolated { $0.accept(channel) } }
    self.opener = opener
    life = loop.spawn { try await device.live() }
    driver = StageLinkDriver(loop, opener) { "n\(opener.attempts)" }
    log = SignalLog(loop)
  }

  func open() async throws { _ = try await driver.open { [log] in log.take($0) } }

  func call(_ method: String, _ params: JSONValue = [:]) async throws -> JSONValue {
    try await driver.call(method, params, timeout: .seconds(3))
  }

  func start(_ run: String = "r1") async throws {
    _ = try await call("start", ["run": .string(run), "flow": "rtsp-hotspot", "params": "default"])
  }

  func end() { life.cancel() }

  /// Signals besides events and logs.
  var linkWords: [String] { log.signals.filter { $0.event == nil }.map(\.word).filter { $0 != "log" } }
  /// Whether events came once each, with no number left out.
  var isGapless: Bool {
    let numbers = log.signals.compactMap { $0.event?.sequence }
    return numbers == Array((numbers.first ?? 0)..<(numbers.first ?? 0) + Int64(numbers.count))
  }
}
