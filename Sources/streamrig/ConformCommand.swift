import Glibc
import RigDevice
import RigDrivers
import RigLoop
import RigPlan
import RigReport
import RigRunner

enum ConformCommand: Command {
  static let name = "conform"
  static let summary = "Hold the stage-link/1 conformance script with a device."
  static let usage = "[OPTION…] TARGET"
  static let options = [
    Option.flag("--no-sessions", "start no session; the steps that need one are skipped"),
    Option.flag("--no-reset", "do not reset the device at the end"),
    Option.value("--patience", "SECONDS", "how long a session may take to start, default 180"),
    RunLeases.wait,
  ]

  static func run(_ arguments: Arguments) throws -> Int32 {
    guard arguments.operands.count == 1, let text = arguments.operands.first else {
      throw UsageError(description: "expected one TARGET: \(DeviceTarget.forms)")
    }
    let target = try DeviceTarget(text, option: "TARGET")
    var settings = DeviceConformance.Settings()
    settings.sessions = !arguments.has("--no-sessions")
    settings.reset = !arguments.has("--no-reset")
    settings.patience = .seconds(try arguments.number("--patience", 1...3600, default: 180))
    if case .stdio = target { settings.outlivesChannel = false }
    // The script stops sessions and resets the device: nobody else may be using it.
    let leases: RunLeases
    do {
      leases = try RunLeases.take([LeaseTarget(target)], for: "conform", patience: try arguments.duration("--wait"))
    } catch let held as DeviceLease.Held {
      Output.complain("\(held.line); --wait waits for it")
      return ExitStatus.rig
    }
    defer { leases.release() }
    let loop = try EpollLoop()
    let tally = Tally()
    let ending = try loop.run { [settings] in
      let opener = target.opener(loop)
      opener.listen { bytes in
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
          Output.complain(TerminalText.line("the agent says: \(line)"))
        }
      }
      let ending = await DeviceConformance(loop, opener, settings: settings) {
        String(UInt64.random(in: 0...UInt64.max), radix: 36)
      }.run { line in
        tally.count(line)
        // A device may put anything into an answer.
        Output.print(TerminalText.line("\(line)"))
      }
      await opener.close()
      return ending
    }
    Output.print(tally.summary)
    switch ending {
    case .conforming: return 0
    case .notConforming: return 1
    case .unreached(let why):
      Output.complain(PrintableText.cut("the device was not reached, so that nothing is said of it: \(why)", to: 400))
      return ExitStatus.rig
    }
  }

  // Unchecked: touched only on the loop's thread, and after the loop has ended.
  private final class Tally: @unchecked Sendable {
    private var ok = 0
    private var notOK = 0
    private var skipped = 0

    func count(_ line: ConformanceLine) {
      switch line.outcome {
      case .ok: ok += 1
      case .notOK: notOK += 1
      case .skipped: skipped += 1
      }
    }

    var summary: String { "\(ok + notOK + skipped) steps: \(ok) ok, \(notOK) not ok, \(skipped) skipped" }
  }
}
