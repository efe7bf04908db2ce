import RigModel
import RigPlan

enum PlanCommand: Command {
  static let name = "plan"
  static let summary = "Show the schedule of a run, without running it."
  static let usage = "[--tag TAG] [--case GLOB] [--seed N] [--json] [PATH…]"
  static let options = Selection.options + [Option.flag("--json", "one JSON object a case and line")]

  static func run(_ arguments: Arguments) throws -> Int32 {
    let plans = try PlanFiles.read(arguments.operands)
    guard PlanFiles.report(plans) else { return ExitStatus.usage }
    let seed = try arguments.seed("--seed") ?? 0
    let schedule = try Selection.schedule(plans, arguments, seed: seed, simulate: false)
    for entry in schedule.entries {
      let plan = entry.item.plan
      let expect = plan.expect.failed.map { "fails at \($0)" } ?? "succeeds"
      if arguments.has("--json") {
        let json: JSONValue = [
          "case": .string(entry.item.id), "file": .string(plan.position.file), "flow": .string(plan.flow.rawValue),
          "transport": .string(plan.transport.rawValue), "faults": .list(plan.faults.map(\.text)),
          "expect": .string(plan.expect.failed?.name ?? "success"), "skipped": entry.skipped.map { .string($0) },
        ]
        Output.print(json.text)
      } else {
        let faults = plan.faults.isEmpty ? "" : "  with \(plan.faults.map(\.text).joined(separator: ", "))"
        let skipped = entry.skipped.map { "  SKIP: \($0)" } ?? ""
        Output.print("\(entry.item.id)  \(expect)\(faults)\(skipped)")
      }
    }
    return schedule.runnable.isEmpty ? 4 : 0
  }
}
