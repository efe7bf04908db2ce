import Glibc
import RigDevice
import RigLoop
import RigModel
import RigPlan
import RigRunner
import RigUSB

/// The steps that a rig file offers to bring a device back.
enum RigRecovery {
  /// - Parameters:
  ///   - attendant: who may be asked for help; `nil`: nobody.
  ///   - isStopped: whether the run was interrupted.
  static func steps(
    _ loop: EpollLoop, _ device: Rig.Device, attendant: RigAttendant?, isStopped: @escaping @Sendable () -> Bool,
    opener: (any ChannelOpener)? = nil,
    _ driver: @escaping @Sendable () -> any DeviceDriver
  ) -> [RecoveryLadder.Step] {
    var steps = [RecoveryLadder.clearFaults(driver), RecoveryLadder.agentReset(driver)]
    if device.isEmulated { return steps }
    // A port may be reset though nobody answers on it. Whether that booted the device, its boot id tells.
    if let usb = opener as? USBOpener { steps.append(RecoveryLadder.Step("USB reset") { try await usb.reset() }) }
    if let power = device.power {
      if let cycle = power.cycle {
        steps.append(
          RecoveryLadder.Step("power cycle") {
            try await PowerSwitches.during(device, on: nil) { try await run(loop, device, cycle) }
          })
      } else if let off = power.off, let on = power.on {
        let pair = RecoveryLadder.power(
          loop, off: { try await run(loop, device, off) }, pause: power.pause,
          on: { try await run(loop, device, on) })
        steps.append(
          RecoveryLadder.Step(pair.name, reboots: pair.reboots) {
            try await PowerSwitches.during(device, on: on) { try await pair.take() }
          })
      }
    }
    if let actuator = device.actuator {
      steps.append(RecoveryLadder.Step("actuator") { try await run(loop, device, actuator, action: "reset") })
    }
    steps.append(
      RecoveryLadder.Step("person") {
        guard let attendant, RigAttendant.isThere else { throw DriverError("nobody can be asked: not on a terminal") }
        try await attendant.ask(
          loop, "\(device.name) does not come back. Switch it off and on, then press Enter", isStopped: isStopped)
      })
    return steps
  }

  /// Runs a command of the rig to its end: one that switches a device is not left half-way, though the run is
  /// interrupted.
  /// - Throws: `SystemError` or `DriverError` where it does not end well, or not in time.
  static func run(
    _ loop: EpollLoop, _ device: Rig.Device, _ template: CommandTemplate, action: String = ""
  ) async throws {
    try await RigCommand(loop: loop, device: device, template: template, action: action).run()
  }
}
