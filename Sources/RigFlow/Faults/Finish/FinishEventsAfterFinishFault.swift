import RigModel

extension FaultDefinition {
  static let finishEventsAfterFinish = FaultDefinition(
    "events-after-finish", .finish, at: [.finish],
    proof: .finish(.eventAfter), outcome: .failsAt(.protocolOrder),
    trips: ["flow.finish-once"],
    summary: "an event of the run follows its sessionFinish",
    about: """
      Something of the run comes after its end.
      """)
}
