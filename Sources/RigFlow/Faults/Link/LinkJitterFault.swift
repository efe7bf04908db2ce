import RigModel

extension FaultDefinition {
  static let linkJitter = FaultDefinition(
    "jitter", .link, at: [.play, .running],
    arguments: [
      FaultArgumentDefinition(
        "by", .duration, required: true, example: .duration(.milliseconds(30)),
        "half the width of the spread of the delay"),
      FaultArgumentDefinition(
        "way", .text, choices: ["down", "up", "both"], standard: .text("both"), "down: from the device, up: to it"),
      FaultArgumentDefinition("after", .duration, standard: .duration(.zero), "how long after the stage began"),
      FaultArgumentDefinition("for", .duration, "how long; left out: to the end of the case"),
    ],
    proof: .link, outcome: .borne,
    needsWire: true, transport: .udp, plays: .seconds(3),
    summary: "the delay of frames varies; their order stays",
    about: """
      The delay of each frame is drawn anew, up to this much in each direction of the mean. Receivers even it out.
      """)
}
