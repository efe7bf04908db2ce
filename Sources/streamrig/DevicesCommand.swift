enum DevicesCommand: Command {
  static let name = "devices"
  static let summary = "Say of each device of a rig, or on this machine's USB, whether it can be used."
  static let usage = "[--rig FILE] [--json]"
  static let options = [
    Option.value("--rig", "FILE", "the devices of this rig file; default: $STREAMRIG_RIG, else those on the USB"),
    Option.flag("--json", "one JSON object a device and line"),
  ]

  static func run(_ arguments: Arguments) throws -> Int32 {
    guard arguments.operands.isEmpty else { throw UsageError(description: "devices takes no operands") }
    if let rig = try RigFiles.given(arguments) { return try RigDevices.list(rig, json: arguments.has("--json")) }
    return USBDeviceList.print(json: arguments.has("--json"))
  }
}
