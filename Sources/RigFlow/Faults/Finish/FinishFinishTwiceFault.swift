import RigModel

extension FaultDefinition {
  static let finishFinishTwice = FaultDefinition(
    "finish-twice", .finish, at: [.finish],
    proof: .finish(.repeated), outcome: .failsAt(.protocolOrder),
    trips: ["flow.finish-once"],
    summary: "sessionFinish comes twice",
    about: """
      The last event of the run is sent again.
      """)
}
