import RigModel

extension FaultDefinition {
  static let linkDropLink = FaultDefinition(
    "drop-link", .link, at: [.receiveAddress, .play, .startSession, .running],
    arguments: [
      FaultArgumentDefinition("after", .duration, standard: .duration(.zero), "how long after the stage began"),
      FaultArgumentDefinition("for", .duration, "how long; left out: to the end of the case"),
    ],
    proof: .link,
    outcome: .at([.startSession: .failsAt(FailurePoint(.receiveAddress)), .play: .failsAt(FailurePoint(.play))]),
    trips: ["flow.stay-on-hotspot", "rtp.seq", "h264.fu", "h265.packets", "media.decodable", "media.gap"],
    needsWire: true, plays: .seconds(6),
    summary: "the station loses the hotspot",
    about: """
      The station loses its carrier, as a phone does that walks away. The session fails at the earliest stage that \
      runs then.
      """)
}
