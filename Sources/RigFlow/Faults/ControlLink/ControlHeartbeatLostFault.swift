import RigModel

extension FaultDefinition {
  static let controlHeartbeatLost = FaultDefinition(
    "heartbeat-lost", .controlLink, at: completedStages + [.waitForHotspot, .running],
    proof: .controlLost, outcome: .failsAt(.controlLink),
    plays: .seconds(20),
    summary: "the control link goes silent: no heartbeats, no events",
    about: """
      The device says nothing and hears nothing for 13 s. While its control link is down a missing event proves \
      nothing, so no stage is blamed: the link is.
      """)
}
