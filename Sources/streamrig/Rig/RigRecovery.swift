import Glibc
import RigDevice
import RigLoop
import RigModel
import RigPlan
import RigRunner
import RigUSB

/// The steps that a rig file offers to bring a device back.
enum RigRecovery {
  /// How long a command of the rig may take.
  private static let commandLimit: Duration = .seconds(60)

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
        steps.append(RecoveryLadder.Step("power cycle") { try await run(loop, device, cycle) })
      } else if let off = power.off, let on = power.on {
        steps.append(
          RecoveryLadder.power(
            loop, off: { try await run(loop, device, off) }, pause: power.pause,
            on: { try await run(loop, device, on) }))
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

  /// Runs a command of the rig to its end.
  /// - Throws: `SystemError` or `DriverError` where it does not end well, or not in time.
  static func run(
    _ loop: EpollLoop, _ device: Rig.Device, _ template: CommandTemplate, action: String = ""
  ) async throws {
    let (path, arguments) = try device.program(template, action: action)
    let said = Said()
    let errors = try ErrorPipe(loop) { said.take($0) }
    let child = try ChildProcess(loop, program: path, arguments: arguments, stderr: errors.childEnd)
    // What it leaves running may keep its output open: its end is what counts, not the end of that.
    let reader = loop.spawn {
      while case let bytes = try await child.io.read(), !bytes.isEmpty { said.take(bytes) }
    }
    let isLate = Flag()
    let timer = loop.schedule(at: loop.now + commandLimit) {
      isLate.isSet = true
      child.signalGroup(SIGKILL)
    }
    defer { loop.cancel(timer) }
    let exit = try await child.waitForExit()
    reader.cancel()
    said.take(child.io.readNow(limit: Said.limit))
    said.take(errors.close(limit: Said.limit))
    child.io.close()
    guard !isLate.isSet else {
      throw DriverError("\(PrintableText.quote(template.program)) did not end in \(commandLimit.text)\(said.text)")
    }
    guard exit == .code(0) else {
      throw DriverError("\(PrintableText.quote(template.program)) ended with \(exit)\(said.text)")
    }
  }

  /// The beginning of what a command printed.
  // Unchecked: touched only on the loop's thread.
  private final class Said: @unchecked Sendable {
    static let limit = 400
    private var bytes: [UInt8] = []
    func take(_ more: [UInt8]) { bytes += more.prefix(max(0, Said.limit - bytes.count)) }
    /// For the end of a message.
    var text: String {
      bytes.isEmpty ? "" : ": \(PrintableText.cut(String(decoding: bytes.prefix(200), as: UTF8.self)))"
    }
  }

  // Unchecked: touched only on the loop's thread.
  private final class Flag: @unchecked Sendable { var isSet = false }
}
