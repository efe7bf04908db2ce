import RigModel

extension FaultDefinition {
  static let finishInterrupt = FaultDefinition(
    "interrupt", .finish, at: [.running],
    arguments: [
      FaultArgumentDefinition(
        "after", .duration, standard: .duration(.seconds(1)), "how long after the session became active")
    ],
    proof: .finish(.interrupted), outcome: .failsAt(FailurePoint(.finish)),
    plays: .seconds(5),
    summary: "the session ends by itself, with an error",
    about: """
      The device ends the session as its camera is taken away: sessionFinish with userStopped=false and an error, \
      though nobody asked for a stop.
      """)
}
