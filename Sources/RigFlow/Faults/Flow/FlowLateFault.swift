import RigModel

extension FaultDefinition {
  static let flowLate = FaultDefinition(
    "late", .flow, at: completedStages + [.waitForHotspot, .receiveAddress],
    arguments: [
      FaultArgumentDefinition(
        "for", .duration, required: true, example: .duration(.seconds(6)),
        "how long the stage takes at least; more than its limit")
    ],
    proof: .missingCompletion,
    limit: .seconds(3),
    summary: "the completion comes after the stage's limit",
    about: """
      The stage takes longer than its limit, which the plan must set shorter than that. Once the limit has passed \
      the stage has failed; the event that still comes changes nothing.
      """)
}
