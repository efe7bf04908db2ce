import RigModel

extension FaultDefinition {
  static let rtspShortTimeout = FaultDefinition(
    "short-timeout", .rtsp, at: [.play],
    arguments: [
      FaultArgumentDefinition("seconds", .integer, standard: .integer(4), "the timeout")
    ],
    proof: .exchange(.timeout), outcome: .borne,
    needsWire: true, plays: .seconds(6),
    summary: "the session announces a very short timeout",
    about: """
      The Session header announces this timeout, and the server keeps to it: a player that sends nothing in that \
      time loses its session.
      """)
}
