import RigModel
import RigPlan

enum PlanCommand: Command {
  static let name = "plan"
  static let summary = "Show the schedule of a run, without running it."
  static let usage = "[--tag TAG] [--case GLOB] [--seed N] [--rig FILE] [--date DATE] [--json] [PATH…]"
  static let options =
    Selection.options + [
      RigFiles.option, RunSettings.dateOption, Option.flag("--json", "one JSON object a case and line"),
    ]

  static func run(_ arguments: Arguments) throws -> Int32 {
    let plans = try PlanFiles.read(arguments.operands)
    guard PlanFiles.report(plans) else { return ExitStatus.usage }
    let seed = try arguments.seed("--seed") ?? 0
    let rig = try RigFiles.given(arguments)
    let schedule = try Selection.schedule(plans, arguments, seed: seed, simulate: false, rig: rig)
    let today = try RunSettings.date(arguments)
    for entry in schedule.entries {
      let plan = entry.item.plan
      let expect = plan.expect.failed.map { "fails at \($0)" } ?? "succeeds"
      if arguments.has("--json") {
        let json: JSONValue = [
          "case": .string(entry.item.id), "file": .string(plan.position.file), "flow": .string(plan.flow.rawValue),
          "transport": .string(plan.transport.rawValue), "faults": .list(plan.faults.map(\.text)),
          "expect": .string(plan.expect.failed?.name ?? "success"), "skipped": entry.skipped.map { .string($0) },
          "devices": rig.map { rig in .list((entry.devices ?? []).map { rig.devices[$0].name }) },
          "repeat": plan.repetition.map { .string($0.text) },
          "measure": plan.measure.isEmpty ? nil : .list(plan.measure.map(\.text)),
          "quarantine": plan.quarantine.map {
            [
              "bug": .string($0.bug), "owner": .string($0.owner), "until": .string("\($0.until)"),
              "expired": .bool($0.hasExpired(on: today)),
            ]
          },
        ]
        Output.print(json.text)
      } else {
        let faults = plan.faults.isEmpty ? "" : "  with \(plan.faults.map(\.text).joined(separator: ", "))"
        let skipped = entry.skipped.map { "  SKIP: \($0)" } ?? ""
        let devices = rig.flatMap { rig in entry.devices.map { $0.map { rig.devices[$0].name } } } ?? []
        let on = devices.isEmpty ? "" : "  on \(devices.joined(separator: ", "))"
        let measure = plan.measure.isEmpty ? "" : "  limits \(plan.measure.map(\.text).joined(separator: ", "))"
        let times = plan.repetition.map { "  \($0.text)" } ?? ""
        let quarantine = plan.quarantine.map {
          "  in quarantine \($0)" + ($0.hasExpired(on: today) ? ", which has run out" : "")
        }
        Output.print("\(entry.item.id)  \(expect)\(faults)\(on)\(measure)\(times)\(quarantine ?? "")\(skipped)")
      }
    }
    return schedule.runnable.isEmpty ? 4 : 0
  }
}
