import RigModel

extension FaultDefinition {
  static let flowRefuse = FaultDefinition(
    "refuse", .flow, at: [.configureStream] + completedStages,
    arguments: [
      FaultArgumentDefinition("code", .integer, standard: .integer(-1), "the error's code"),
      FaultArgumentDefinition("message", .text, standard: .text("refused"), "the error's message; it decides nothing"),
    ],
    proof: .refused,
    summary: "the stage completes with an error",
    about: """
      The device answers the start request, or completes the stage, with an error instead of a success. It ends \
      the run by itself afterwards. Code and message are shown in the report and decide nothing.
      """)
}
