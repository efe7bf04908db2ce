import RigModel

extension FaultDefinition {
  static let finishLeakPort = FaultDefinition(
    "leak-port", .finish, at: [.cleanUp],
    proof: .fact(.portStillOpen),
    trips: ["flow.clean-end"],
    limit: .seconds(4),
    summary: "the RTSP port stays open",
    about: """
      The session is over and its RTSP port still takes connections, until the next start or a clear.
      """)
}
