enum DevicesCommand: Command {
  static let name = "devices"
  static let summary = "Say of each device of a rig whether it is reached, well, and in use."
  static let usage = "--rig FILE [--json]"
  static let options = [
    Option.value("--rig", "FILE", "the devices of this rig file; default: $STREAMRIG_RIG"),
    Option.flag("--json", "one JSON object a device and line"),
  ]

  static func run(_ arguments: Arguments) throws -> Int32 {
    guard arguments.operands.isEmpty else { throw UsageError(description: "devices takes no operands") }
    guard let rig = try RigFiles.given(arguments) else { throw UsageError(description: "expected --rig FILE") }
    return try RigDevices.list(rig, json: arguments.has("--json"))
  }
}
