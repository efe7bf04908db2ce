import RigDevice
import RigDrivers
import RigEmulator
import RigLoop
import RigModel
import RigPlan
import RigRunner
import RigWire

/// The bench of `--simulate`: devices in this process, in virtual time, with simulated witnesses.
///
/// stage-link runs over memory pipes; RTSP is not run, and nothing is captured. A device stays for all cases that ask
/// for its model.
actor SimulatedBench: CaseBench {
  private struct Device {
    let world: SimulatedWorld
    let opener: MemoryOpener
    let life: Task<Void, any Error>
  }

  private let loop: VirtualLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  private var devices: [String: Device] = [:]

  init(loop: VirtualLoop) { self.loop = loop }

  func environment(for item: ScheduledCase, worker: Int) async throws -> CaseEnvironment {
    guard let profile = DeviceProfile.all.first(where: { NameGlob(item.item.plan.deviceModel).matches($0.model) })
    else { throw DriverError("no emulated device matches the model \(item.item.plan.deviceModel)") }
    let device = device(profile, seed: item.item.seed)
    let nonce = String(item.item.seed, radix: 16)
    let driver: @Sendable () -> any DeviceDriver = { [loop] in StageLinkDriver(loop, device.opener) { "n\(nonce)" } }
    return CaseEnvironment(
      deviceName: profile.model, host: "", driver: driver(), link: SimulatedLink(device.world),
      player: SimulatedPlayer(device.world), capture: nil, captureSkipped: "virtual time: no wire, no capture",
      files: NoFiles(),
      nextStart: NextStart(
        device: profile.model, driver: driver,
        recovery: RecoveryLadder(loop, [RecoveryLadder.agentReset(driver)], driver: driver)))
  }

  private func device(_ profile: DeviceProfile, seed: UInt64) -> Device {
    if let device = devices[profile.model] { return device }
    let world = SimulatedWorld(loop)
    let emulated = EmulatedDevice(
      loop, profile: profile, serial: "SIM", seed: seed, hotspot: SimulatedHotspot(world), media: SimulatedMedia(world))
    let device = Device(
      world: world, opener: MemoryOpener { channel in emulated.assumeIsolated { $0.accept(channel) } },
      life: loop.spawn { try await emulated.live() })
    devices[profile.model] = device
    return device
  }

  /// Ends the devices, so that virtual time can come to rest.
  func close() async {
    for device in devices.values { device.life.cancel() }
    devices = [:]
  }
}

/// A simulated case leaves no evidence beside the event log.
private struct NoFiles: CaseFiles {
  func append(_ line: String, to name: String) {}
  var artifacts: [Artifact] { [] }
  var problem: String? { nil }
}
