import RigDevice
import RigDrivers
import RigEmulator
import RigLoop
import RigTestSupport

/// An emulated device with simulated backends, and drivers for it.
// Unchecked: touched only on the loop's thread.
final class DeviceBench: @unchecked Sendable {
  let loop: Loop
  let world: SimulatedWorld
  let device: EmulatedDevice
  let opener: BenchOpener
  private let life: Task<Void, any Error>
  private var drivers = 0

  init(_ loop: Loop, seed: UInt64 = 1, profile: DeviceProfile = .flagship, guarded: Bool = false) {
    self.loop = loop
    let world = SimulatedWorld(loop)
    self.world = world
    let device = EmulatedDevice(
      loop, profile: profile, serial: "T1", seed: seed, hotspot: SimulatedHotspot(world), media: SimulatedMedia(world),
      guarded: guarded)
    self.device = device
    opener = BenchOpener(guarded: guarded) { channel in device.assumeIsolated { $0.accept(channel) } }
    life = loop.spawn { try await device.live() }
  }

  func driver() -> StageLinkDriver {
    drivers += 1
    let n = drivers
    return StageLinkDriver(loop, opener) { "n\(n)" }
  }

  func end() { life.cancel() }
}

extension DeviceProfile {
  /// The same device, as quick as can be: for real time.
  static var hurried: DeviceProfile {
    var profile = DeviceProfile.flagship
    profile.pace.configureHotspot = 1...3
    profile.pace.enterLiveMode = 1...3
    profile.pace.openHotspot = 1...3
    profile.pace.join = 1...3
    profile.pace.address = 1...3
    profile.pace.sessionStart = 1...3
    profile.pace.stop = 1...3
    profile.pace.reboot = 1...3
    profile.pace.between = 0...1
    return profile
  }
}
