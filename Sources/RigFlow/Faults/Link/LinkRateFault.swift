import RigModel

extension FaultDefinition {
  static let linkRate = FaultDefinition(
    "rate", .link, at: [.play, .running],
    arguments: [
      FaultArgumentDefinition(
        "to", .bitRate, required: true, example: .bitRate(BitRate(bitsPerSecond: 500_000)), "bits of frames a second"),
      FaultArgumentDefinition(
        "way", .text, choices: ["down", "up", "both"], standard: .text("down"), "down: from the device, up: to it"),
      FaultArgumentDefinition("after", .duration, standard: .duration(.zero), "how long after the stage began"),
      FaultArgumentDefinition("for", .duration, "how long; left out: to the end of the case"),
    ],
    proof: .link, outcome: .at([.play: .failsAt(FailurePoint(.running))]),
    trips: ["rtp.seq", "h264.fu", "h265.packets", "media.decodable"],
    needsWire: true, transport: .udp, plays: .seconds(4),
    summary: "no more than so many bits a second pass; what does not fit the queue is dropped",
    about: """
      The air carries so many bits a second. A stream that needs more fills the queue, and then loses what does \
      not fit.
      """)
}
