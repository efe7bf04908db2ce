import RigModel

extension FaultDefinition {
  static let flowDuplicate = FaultDefinition(
    "duplicate", .flow, at: completedStages,
    proof: .repeatedCompletion, outcome: .failsAt(.protocolOrder),
    trips: ["flow.order"],
    summary: "the completion comes twice",
    about: """
      The event that completes the stage is sent a second time. The stage has completed once; the repetition is \
      out of order.
      """)
}
