import RigModel

extension FaultDefinition {
  static let finishNoFinish = FaultDefinition(
    "no-finish", .finish, at: [.finish],
    proof: .finish(.missing),
    limit: .seconds(3),
    summary: "the session ends without sessionFinish",
    about: """
      The session ends, the hotspot closes, and the event that says so is missing.
      """)
}
