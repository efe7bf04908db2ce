import RigDevice
import RigDrivers
import RigEmulator
import RigLoop
import RigModel
import RigPlan
import RigRunner
import RigWire

/// The bench of `--simulate`: a device in this process, in virtual time, with simulated witnesses.
///
/// stage-link runs over memory pipes; RTSP is not run, and nothing is captured.
struct SimulatedBench: CaseBench {
  let loop: VirtualLoop

  func environment(for item: ScheduledCase, worker: Int) async throws -> CaseEnvironment {
    guard let profile = DeviceProfile.all.first(where: { NameGlob(item.item.plan.deviceModel).matches($0.model) })
    else { throw DriverError("no emulated device matches the model \(item.item.plan.deviceModel)") }
    let world = SimulatedWorld(loop)
    let device = EmulatedDevice(
      loop, profile: profile, serial: "SIM", seed: item.item.seed, hotspot: SimulatedHotspot(world),
      media: SimulatedMedia(world))
    let life = loop.spawn { try await device.live() }
    let opener = MemoryOpener { channel in device.assumeIsolated { $0.accept(channel) } }
    let nonce = String(item.item.seed, radix: 16)
    let driver = StageLinkDriver(loop, opener) { "n\(nonce)" }
    return CaseEnvironment(
      deviceName: profile.model, host: "", driver: EndingDriver(driver: driver, life: life), link: SimulatedLink(world),
      player: SimulatedPlayer(world), capture: nil, captureSkipped: "virtual time: no wire, no capture",
      files: NoFiles())
  }

  func close() async {}
}

/// Ends the simulated device together with its driver, so that virtual time can come to rest.
private struct EndingDriver: DeviceDriver {
  let driver: StageLinkDriver
  let life: Task<Void, any Error>

  func open(_ signal: @escaping @Sendable (DriverSignal) -> Void) async throws -> Hello {
    try await driver.open(signal)
  }
  func call(_ method: String, _ params: JSONValue, timeout: Duration) async throws -> JSONValue {
    try await driver.call(method, params, timeout: timeout)
  }
  func close() async {
    await driver.close()
    life.cancel()
  }
  func clockError() async -> Duration? { await driver.clockError() }
  func damagedCount() async -> Int { await driver.damagedCount() }
}

/// A simulated case leaves no evidence beside the event log.
private struct NoFiles: CaseFiles {
  func append(_ line: String, to name: String) {}
  var artifacts: [Artifact] { [] }
  var problem: String? { nil }
}
