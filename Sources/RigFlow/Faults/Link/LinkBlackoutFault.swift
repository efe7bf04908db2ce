import RigModel

extension FaultDefinition {
  static let linkBlackout = FaultDefinition(
    "blackout", .link, at: [.connectHotspot, .play, .running],
    arguments: [
      FaultArgumentDefinition(
        "way", .text, choices: ["down", "up", "both"], standard: .text("both"), "down: from the device, up: to it"),
      FaultArgumentDefinition("after", .duration, standard: .duration(.zero), "how long after the stage began"),
      FaultArgumentDefinition("for", .duration, "how long; left out: to the end of the case"),
    ],
    proof: .link, outcome: .at([.play: .failsAt(FailurePoint(.receiveAddress))]),
    trips: ["rtp.seq", "h264.fu", "h265.packets", "media.decodable", "media.gap"],
    needsWire: true, plays: .seconds(6),
    summary: "nothing passes, and both sides keep their carrier",
    about: """
      No frame passes. Neither side is told; only silence shows it. At play nobody answers at the address, which \
      is to blame then.
      """)
}
