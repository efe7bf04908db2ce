import RigModel

extension FaultDefinition {
  static let flowDelay = FaultDefinition(
    "delay", .flow, at: completedStages + [.waitForHotspot, .receiveAddress],
    arguments: [
      FaultArgumentDefinition(
        "for", .duration, required: true, example: .duration(.seconds(2)), "how long the stage takes at least")
    ],
    proof: .lateCompletion, outcome: .borne,
    summary: "the completion comes later, inside its limit",
    about: """
      The stage takes at least as long as asked, counted from its beginning. Inside the limit nothing may be \
      blamed.
      """)
}
