import RigModel

extension FaultDefinition {
  static let flowHang = FaultDefinition(
    "hang", .flow, at: [.configureStream] + completedStages + [.waitForHotspot, .receiveAddress],
    proof: .missingCompletion,
    limit: .seconds(3),
    summary: "the stage never completes, and the device goes no further",
    about: """
      The device begins the stage and then does nothing more until the run is stopped. At configure-stream the \
      start request is never answered. The limit of the stage must pass before the fault is proven.
      """)
}
