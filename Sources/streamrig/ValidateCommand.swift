import RigPlan

enum ValidateCommand: Command {
  static let name = "validate"
  static let summary = "Check plans and say everything that is wrong with them."
  static let usage = "[PATH…]"
  static let options: [Option] = []

  static func run(_ arguments: Arguments) throws -> Int32 {
    let plans = try PlanFiles.read(arguments.operands)
    guard PlanFiles.report(plans) else { return ExitStatus.usage }
    let cells = plans.plans.reduce(0) { $0 + $1.cellCount }
    Output.print("\(plans.plans.count) plans, \(cells) cases: all valid")
    return 0
  }
}
