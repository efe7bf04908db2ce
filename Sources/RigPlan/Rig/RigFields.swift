import RigModel

/// The rig file format, version 1, as data: the one table behind the validation and `streamrig schema --rig`.
enum RigFields {
  static let version: Int64 = 1
  static let maximumDevices = 64

  static let rig = FieldTable([
    Field("version", .version(version), required: true, "Version of the rig file format."),
    Field("rig", .name(.identifier), required: true, "Id of the rig."),
    Field("title", .text(maximum: 200), "Where and what it is, in one sentence."),
    Field("devices", .list(.object(device), count: 1...maximumDevices), required: true, "The rig's devices."),
  ])

  private static let command = FieldKind.form(.command(TextForm.ofDevice))

  static let device = FieldTable([
    Field("name", .name(.identifier), required: true, "What reports and leases call it; unique in the rig."),
    Field("model", .name(.model), "Its model, by which plans select it; an emulated one has its own."),
    Field("serial", .text(maximum: 128), "Its serial number, compared with what the device says."),
    Field("control", .form(.control), required: true, "How its control link is reached."),
    Field("host", .form(.address), "Where its media comes from; that of control by default."),
    Field("link", .form(.link), "The network path of its media; loopback by default, none with a phone."),
    Field("country", .name(.country), "With link wifi: whose rules the radio obeys."),
    Field(
      "key-file", .text(maximum: 1_024), "With link wifi or networkmanager: a file that holds the key of the hotspot."),
    Field("capture", .form(.interface), "The interface that is captured, where the link does not say it."),
    Field("power", .object(power), "Commands that switch its power."),
    Field("phone", .object(phone), "A phone plays in the harness's place, and its own capture proves the media."),
    Field(
      "actuator", .form(.command(TextForm.ofDevice + [.action])),
      "A command that acts on the device from outside; {action} is what it is to do: reset."),
    Field(
      "capabilities", .list(.word(.capabilities), count: 0...32),
      "What it is expected to offer; plans that need something else pass it by."),
    Field("flows", .list(.word(.flows), count: 1...16), "The flows that it is expected to know."),
  ])

  static let phone = FieldTable([
    Field("begin", command, "Starts the recorder on the phone, before each case."),
    Field(
      "capture", .form(.command(TextForm.ofDevice + [.file])), required: true,
      "Leaves the phone's capture, pcap or pcapng, at {file}, after each case."),
    Field("limit", .duration(positive: true), "How long each of the two may take; 60 s by default."),
  ])

  static let power = FieldTable([
    Field("off", command, "Takes its power away."),
    Field("on", command, "Gives its power back."),
    Field("cycle", command, "Does both, in place of off and on."),
    Field("pause", .duration(positive: true), "How long it stays off; 2 s by default."),
  ])
}
