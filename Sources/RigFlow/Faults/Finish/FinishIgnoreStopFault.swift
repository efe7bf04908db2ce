import RigModel

extension FaultDefinition {
  static let finishIgnoreStop = FaultDefinition(
    "ignore-stop", .finish, at: [.finish],
    proof: .finish(.missing),
    limit: .seconds(3),
    summary: "the stop is ignored",
    about: """
      The stop request is accepted and nothing follows.
      """)
}
