import RigModel

/// The plan format, version 1, as data: the one table behind the validation and `streamrig schema`.
enum PlanFields {
  static let version: Int64 = 1
  /// A plan whose matrix has more cells is refused.
  static let maximumCells = 1_000
  private static let anyNumber: ClosedRange<Int64> = 0...1_000_000

  static let extends = Field(
    "extends", .text(maximum: longestPath),
    "A file of keys that this one takes over where it does not say them itself; relative to its folder.")
  static let longestPath = 1_024

  static let plan = FieldTable(
    [
      Field("version", .version(version), required: true, "Version of the plan format."),
      Field("plan", .name(.identifier), required: true, "Stable id of the plan, unique in the run."),
      Field("title", .text(maximum: 200), required: true, "What the plan shows, in one sentence."),
      Field("flow", .word(.flows), required: true, "The kind of session that is driven."),
      extends,
    ] + common + [
      Field("faults", .list(.fault, count: 0...64), "Faults to inject; each must be proven to have fired."),
      Field(
        "actions", .list(.action, count: 0...64),
        "What happens at moments of the session: a stop, a fault of the device, a fault of the link."),
      Field("expect", .object(expect), "What must happen; absent: the session succeeds and ends by user stop."),
      Field(
        "repeat", .object(repetition), "Runs the case several times; if some attempts fail and some pass, it is flaky."),
      Field(
        "quarantine", .object(quarantine), "The case is known to fail: it still runs, and does not count."),
      Field(
        "matrix", .object(matrix),
        "Values to combine: one case for each combination, at most \(maximumCells). A value here replaces the plan's."),
    ])

  /// A file that plans extend: it has no id, and is never run.
  static let fragment = FieldTable([fragmentVersion, extends] + common)
  static let fragmentVersion = Field(
    "fragment", .version(version), required: true, "Version of the format: the file is a fragment, and no plan.")

  enum Merging { case byKey, together }
  /// Keys of which a plan and its fragment may each say a part.
  static let merging: [String: Merging] = [
    "limits": .byKey, "measure": .byKey, "checks": .byKey, "tags": .together, "needs": .together,
  ]

  /// What may stand in a plan and in a fragment: how to run a case, and what to demand of every one.
  private static let common = [
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
    Field(
      "measure", .measure,
      "Limits on measurements: over a limit the case fails, between `marginal` and it the case passes with a warning, and without the measurement it is inconclusive."
    ),
    Field(
      "checks", .map(keys: .checks, .word(.fixed(CheckSetting.allCases.map(\.rawValue), noun: "a setting"))),
      "Checks that are judged otherwise than the catalogue says."),
    Field("strict", .flag, "Whether unknown device events fail the run."),
  ]

  /// A case is attempted this often at most.
  static let maximumTimes: Int64 = 10_000

  static let repetition = FieldTable([
    Field("times", .integer(1...maximumTimes), "How many attempts."),
    Field("for", .duration(positive: true), "No attempt begins later than this after the first one."),
    Field("until", .word(.fixed(["fail"], noun: "an end")), "`fail`: the first failed attempt is the last one."),
  ])

  static let quarantine = FieldTable([
    Field("bug", .text(maximum: 100), required: true, "Where the failure is tracked."),
    Field("owner", .text(maximum: 100), required: true, "Who sees to it."),
    Field("until", .date, required: true, "The last day on which it holds; after it the case is an error."),
  ])

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
