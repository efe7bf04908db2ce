import RigModel

extension FaultDefinition {
  /// Stages in which somebody waits for what comes over the control link.
  static let controlledStages: [StageID] = [
    .preflight, .configureStream, .configureHotspot, .enterLiveMode, .waitForHotspot, .connectHotspot, .receiveAddress,
    .play, .startSession, .running, .finish,
  ]

  static let controlUnplug = FaultDefinition(
    "unplug", .controlLink, at: controlledStages,
    arguments: [
      FaultArgumentDefinition(
        "for", .duration, standard: .duration(.seconds(12)),
        "how long it is away; up to some seconds the session bears it, but not at preflight")
    ],
    proof: .transport(.controlUnplugged), outcome: .failsAt(.controlLink), capability: .usb, plays: .seconds(3),
    summary: "the device leaves the USB, and comes back later",
    about: """
      The device goes with transfers in flight, as when its cable is pulled, and is plugged in again at the same port. \
      A session waits 8 s for it. While the control link is down a missing event proves nothing, so no stage is \
      blamed: the link is. What happened meanwhile is replayed when it comes back in time.
      """)
}
