import RigModel

extension FaultDefinition {
  static let finishWrongUserStopped = FaultDefinition(
    "wrong-user-stopped", .finish, at: [.finish],
    proof: .finish(.wrongUserStopped),
    trips: ["flow.user-stop-told-apart"],
    summary: "a requested stop is reported as an interruption",
    about: """
      The stop was asked for, and sessionFinish says userStopped=false.
      """)
}
