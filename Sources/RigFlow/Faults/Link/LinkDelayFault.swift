import RigModel

extension FaultDefinition {
  static let linkDelay = FaultDefinition(
    "delay", .link, at: [.play, .running],
    arguments: [
      FaultArgumentDefinition(
        "by", .duration, required: true, example: .duration(.milliseconds(80)), "what is added to every frame's way"),
      FaultArgumentDefinition(
        "way", .text, choices: ["down", "up", "both"], standard: .text("both"), "down: from the device, up: to it"),
      FaultArgumentDefinition("after", .duration, standard: .duration(.zero), "how long after the stage began"),
      FaultArgumentDefinition("for", .duration, "how long; left out: to the end of the case"),
    ],
    proof: .link, outcome: .borne,
    needsWire: true, plays: .seconds(3),
    summary: "frames come later",
    about: """
      Every frame takes so much longer. Sessions bear it as long as their limits do.
      """)
}
