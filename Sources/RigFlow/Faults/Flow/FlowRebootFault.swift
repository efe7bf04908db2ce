import RigModel

extension FaultDefinition {
  static let flowReboot = FaultDefinition(
    "reboot", .flow, at: completedStages + [.waitForHotspot, .running],
    arguments: [
      FaultArgumentDefinition(
        "after", .duration, example: .duration(.seconds(1)),
        "how long after the stage began; left out: the time that the stage takes")
    ],
    proof: .reboot,
    plays: .seconds(5),
    summary: "the device reboots",
    about: """
      The device drops its control link, its media and its hotspot, and comes back with another boot id. The stage \
      in which it was is to blame.
      """)
}
