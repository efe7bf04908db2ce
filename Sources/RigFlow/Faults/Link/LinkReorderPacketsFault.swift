import RigModel

extension FaultDefinition {
  static let linkReorderPackets = FaultDefinition(
    "reorder-packets", .link, at: [.play, .running],
    arguments: [
      FaultArgumentDefinition(
        "share", .percent, required: true, example: .percent(Percent(fraction: 0.05)), "share of the frames"),
      FaultArgumentDefinition(
        "way", .text, choices: ["down", "up", "both"], standard: .text("down"), "down: from the device, up: to it"),
      FaultArgumentDefinition("after", .duration, standard: .duration(.zero), "how long after the stage began"),
      FaultArgumentDefinition("for", .duration, "how long; left out: to the end of the case"),
    ],
    proof: .link, outcome: .borne,
    trips: ["rtp.seq", "h264.fu", "h265.packets"],
    needsWire: true, transport: .udp, plays: .seconds(4),
    summary: "frames are overtaken by later ones",
    about: """
      A share of the frames is held back and overtaken. Receivers put datagrams in order again.
      """)
}
