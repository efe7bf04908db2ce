import RigModel

extension FaultDefinition {
  static let flowDrop = FaultDefinition(
    "drop", .flow, at: completedStages + [.receiveAddress],
    proof: .missingCompletion,
    trips: ["flow.order", "flow.address-vs-start"],
    plays: .seconds(9), limit: .seconds(3),
    summary: "the completion is lost, and the device goes on",
    about: """
      The event that completes the stage is never sent, while the device lives on as if it had been. Later stages \
      begin without it: the stage whose completion is missing is to blame, not the one that comes next.
      """)
}
