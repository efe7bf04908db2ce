import RigModel

/// The plan format, version 1, as data: the one table behind the validation and `streamrig schema`.
enum PlanFields {
  static let version: Int64 = 1
  /// A plan whose matrix has more cells is refused.
  static let maximumCells = 1_000
  private static let anyNumber: ClosedRange<Int64> = 0...1_000_000

  static let plan = FieldTable(
    [
      Field("version", .version(version), required: true, "Version of the plan format."),
      Field("plan", .name(.identifier), required: true, "Stable id of the plan, unique in the run."),
      Field("title", .text(maximum: 200), required: true, "What the plan shows, in one sentence."),
      Field("flow", .word(.flows), required: true, "The kind of session that is driven."),
      Field("tags", .list(.name(.identifier), count: 0...32), "Words by which runs select plans."),
      Field(
        "needs", .list(.word(.capabilities), count: 0...32),
        "Capabilities of the rig; without one of them the case is skipped."),
      Field("device", .object(device), "Which devices of the rig may be used."),
      Field("params", params, "Stream parameters: the device's own defaults, or all three."),
      Field("transport", transport, "How the media is carried."),
      Field("play-for", playFor, "Media time between `active` and the stop."),
      Field(
        "limits", .map(keys: .limits, .duration(positive: true)),
        "Time limits, by name, that deviate from the flow's."),
      Field("faults", .list(.fault, count: 0...64), "Faults to inject; each must be proven to have fired."),
      Field("expect", .object(expect), "What must happen; absent: the session succeeds and ends by user stop."),
      Field(
        "checks", .map(keys: .checks, .word(.fixed(CheckSetting.allCases.map(\.rawValue), noun: "a setting"))),
        "Checks that are judged otherwise than the catalogue says."),
      Field("strict", .flag, "Whether unknown device events fail the run."),
      Field(
        "matrix", .object(matrix),
        "Values to combine: one case for each combination, at most \(maximumCells). A value here replaces the plan's."),
    ],
    reserved: ["repeat", "quarantine", "extends", "measure"])

  static let device = FieldTable([
    Field("model", .name(.modelGlob), required: true, "Device model; * stands for any text, ? for one character.")
  ])

  /// All three or none: a partial set would leave the others to chance.
  private static let parameterFields = [
    Field("bitrate", .bitRate(zeroIsDefault: true), required: true, "Video bit rate; 0 is the device's default."),
    Field("quality-factor", .integer(anyNumber), required: true, "0 is lossless; larger compresses more."),
    Field("i-frame-interval", .integer(anyNumber), required: true, "P and B frames between two I frames."),
  ]
  private static let params = FieldKind.defaultOr(.object(FieldTable(parameterFields)))
  private static let transport = FieldKind.word(
    .fixed(MediaTransport.allCases.map(\.rawValue), noun: "a transport"))
  private static let playFor = FieldKind.duration(positive: true)

  static let expect = FieldTable([
    Field("failed", .word(.failurePoints), "The failure point; absent: the session must succeed."),
    Field("reached", .word(.gates), "The last gate that the session reaches."),
    Field("never", .list(.word(.events), count: 0...64), "Events that must not come."),
  ])

  /// In the order in which the keys stand in case ids, whatever their order in the file.
  static let matrix = FieldTable([
    Field("transport", .list(transport, count: axis), "Transports to run."),
    Field("play-for", .list(playFor, count: axis), "Play times to run."),
    Field(
      "params",
      .list(
        .defaultOr(
          .object(
            FieldTable(
              [Field("name", .name(.identifier), required: true, "How case ids call this set.")] + parameterFields))),
        count: axis),
      "Parameter sets to run: `default`, or all three parameters with a name."),
    Field("device.model", .list(.name(.modelGlob), count: axis), "Device models to run."),
  ])
  private static let axis = 1...maximumCells
}
