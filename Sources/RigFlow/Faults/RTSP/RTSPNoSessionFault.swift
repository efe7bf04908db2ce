import RigModel

extension FaultDefinition {
  static let rtspNoSession = FaultDefinition(
    "no-session", .rtsp, at: [.play],
    proof: .finding(["session.id.stable"]),
    trips: ["session.id.stable", "rtsp.status.state"],
    needsWire: true,
    summary: "the answer to SETUP names no session",
    about: """
      SETUP is answered without a Session header. The player cannot name the session in PLAY.
      """)
}
