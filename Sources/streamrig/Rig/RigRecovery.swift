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
  /// How long a person has.
  private static let personLimit: Duration = .seconds(120)

  static func steps(
    _ loop: EpollLoop, _ device: Rig.Device, mayAsk: Bool, opener: (any ChannelOpener)? = nil,
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
        guard mayAsk else { throw DriverError("nobody can be asked: not on a terminal") }
        try await ask(loop, "\(device.name) does not come back. Switch it off and on, then press Enter")
      })
    return steps
  }

  /// Runs a command of the rig to its end.
  /// - Throws: `SystemError` or `DriverError` where it does not end well, or not in time.
  static func run(
    _ loop: EpollLoop, _ device: Rig.Device, _ template: CommandTemplate, action: String = ""
  ) async throws {
    let (path, arguments) = try device.program(template, action: action)
    let child = try ChildProcess(loop, program: path, arguments: arguments)
    let timer = loop.schedule(at: loop.now + commandLimit) {
      child.io.close()
      child.signal(SIGKILL)
    }
    defer { loop.cancel(timer) }
    var said: [UInt8] = []
    while case let bytes = try await child.io.read(), !bytes.isEmpty {
      if said.count < 400 { said += bytes.prefix(400) }
    }
    let exit = try await child.waitForExit()
    guard exit == .code(0) else {
      let text = String(decoding: said.prefix(200), as: UTF8.self)
      throw DriverError(
        "\(PrintableText.quote(template.text)) ended with \(exit)"
          + (said.isEmpty ? "" : ": \(PrintableText.cut(text))"))
    }
  }

  /// Whether somebody sits at a terminal who can be asked for help.
  static var isAttended: Bool { isatty(0) == 1 && isatty(2) == 1 }

  /// - Throws: `DriverError` where nobody answers in time.
  private static func ask(_ loop: EpollLoop, _ question: String) async throws {
    let input = fcntl(0, F_DUPFD_CLOEXEC, 3)
    guard input >= 0 else { throw SystemError("fcntl", on: "standard input") }
    defer { close(input) }
    try loop.watch(input)
    let deadline = loop.now + personLimit
    Output.complain("\(question) (\(personLimit.text))")
    let timer = loop.schedule(at: deadline) { loop.unwatch(input) }
    try await loop.readable(input)
    guard loop.now < deadline else { throw DriverError("nobody answered in \(personLimit.text)") }
    loop.cancel(timer)
    loop.unwatch(input)
    // The line has come whole: a terminal gives nothing else.
    var line = [UInt8](repeating: 0, count: 256)
    guard read(input, &line, line.count) > 0 else { throw DriverError("nobody answered") }
  }
}
