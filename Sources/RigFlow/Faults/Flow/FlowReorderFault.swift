import RigModel

extension FaultDefinition {
  static let flowReorder = FaultDefinition(
    "reorder", .flow, at: [.configureHotspot, .enterLiveMode, .connectHotspot],
    proof: .reorderedCompletion, outcome: .failsAt(.protocolOrder),
    trips: ["flow.order", "flow.address-vs-start"],
    summary: "the completion comes after an event that should follow it",
    about: """
      The completion changes places with what comes next: the beginning of the following stage or, at connect- \
      hotspot, the address. Both events come, so no stage fails; their order does.
      """)
}
