import Glibc
import RigModel
import RigReport

enum DoctorCommand: Command {
  static let name = "doctor"
  static let summary = "Say what this machine can do for a run, what is missing, and how to get it."
  static let usage = "[--rig FILE] [--reports DIR] [--json]"
  static let options = [
    Option.value("--rig", "FILE", "look also at what this rig file names; default: $STREAMRIG_RIG"),
    Option.value("--reports", "DIR", "the reports folder of the runs to come; default Reports"),
    Option.flag("--json", "one JSON object a line"),
  ]

  static func run(_ arguments: Arguments) throws -> Int32 {
    let rig = try RigFiles.given(arguments)
    // The links come last: they move this process into a private network.
    let found =
      HostDoctor.examine(reports: arguments.last("--reports") ?? "Reports") + USBDoctor.examine()
      + (rig.map(RigDoctor.examine) ?? [])
      + LinkDoctor.examine()
    for diagnosis in found {
      Output.raw(arguments.has("--json") ? diagnosis.json.text + "\n" : text(diagnosis))
    }
    return found.contains { $0.state == .problem } ? ExitStatus.rig : 0
  }

  private static func text(_ diagnosis: Diagnosis) -> String {
    let sign =
      switch diagnosis.state {
      case .ok: "ok       "
      case .warning: "warning  "
      case .problem: "PROBLEM  "
      }
    var lines = ColumnText.wrap("\(diagnosis.name): \(diagnosis.finding)", indent: 9, first: sign) + "\n"
    for part in diagnosis.fix.split(separator: "\n") {
      lines += ColumnText.wrap(String(part), indent: 14, first: "         fix: ") + "\n"
    }
    return lines
  }
}
