import RigModel

extension FaultDefinition {
  static let finishLeakHotspot = FaultDefinition(
    "leak-hotspot", .finish, at: [.cleanUp],
    proof: .fact(.hotspotStillUp),
    trips: ["flow.clean-end"],
    limit: .seconds(4),
    summary: "the hotspot stays up",
    about: """
      The session is over and the access point still answers, until the next start or a clear.
      """)
}
