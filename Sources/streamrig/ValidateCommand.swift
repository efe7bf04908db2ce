import RigPlan

enum ValidateCommand: Command {
  static let name = "validate"
  static let summary = "Check plans, or a rig file, and say everything that is wrong with them."
  static let usage = "[PATH…] | --rig FILE"
  static let options = [Option.value("--rig", "FILE", "check this rig file")]

  static func run(_ arguments: Arguments) throws -> Int32 {
    if let path = arguments.last("--rig") {
      guard arguments.operands.isEmpty else {
        throw UsageError(description: "--rig checks one rig file: it goes without plans")
      }
      let reading = RigFiles.read(path)
      for diagnostic in reading.diagnostics { Output.diagnose("\(diagnostic)") }
      guard let rig = reading.rig else { return ExitStatus.usage }
      Output.print("rig \(rig.id), \(rig.devices.count) device\(rig.devices.count == 1 ? "" : "s"): all valid")
      return 0
    }
    let plans = try PlanFiles.read(arguments.operands)
    guard PlanFiles.report(plans) else { return ExitStatus.usage }
    let cells = plans.plans.reduce(0) { $0 + $1.cellCount }
    Output.print("\(plans.plans.count) plans, \(cells) cases: all valid")
    return 0
  }
}
