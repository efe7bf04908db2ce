import RigModel
import RigPlan

enum ListCommand: Command {
  static let name = "list"
  static let summary = "List plans with their tags and cases."
  static let usage = "[--json] [PATH…]"
  static let options = [Option.flag("--json", "one JSON object a plan and line")]

  static func run(_ arguments: Arguments) throws -> Int32 {
    let plans = try PlanFiles.read(arguments.operands)
    guard PlanFiles.report(plans) else { return ExitStatus.usage }
    for parsed in plans.plans {
      let plan = parsed.plan
      if arguments.has("--json") {
        let json: JSONValue = [
          "plan": .string(plan.id), "title": .string(plan.title), "flow": .string(plan.flow.rawValue),
          "file": .string(plan.position.file), "tags": .list(plan.tags), "needs": .list(plan.needs),
          "drivable": .bool(parsed.drivable), "faults": .list(plan.faults.map(\.text)),
          "expect": plan.expect.failed.map { .string($0.name) } ?? "success",
          "repeat": plan.repetition.map { .string($0.text) },
          "quarantine": plan.quarantine.map { .string("\($0)") },
          "cases": .list(parsed.cases(seed: 0).map(\.id)),
        ]
        Output.print(json.text)
      } else {
        let tags = plan.tags.isEmpty ? "" : "  [\(plan.tags.joined(separator: ", "))]"
        let times = plan.repetition.map { "  (\($0.text))" } ?? ""
        let quarantine = plan.quarantine.map { "  (in quarantine \($0))" } ?? ""
        Output.print("\(plan.id)  \(plan.title)\(tags)\(times)\(quarantine)")
      }
    }
    return 0
  }
}
