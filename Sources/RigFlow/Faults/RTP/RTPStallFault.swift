import RigModel

extension FaultDefinition {
  static let rtpStall = FaultDefinition(
    "stall", .rtp, at: [.running],
    arguments: [
      FaultArgumentDefinition("for", .duration, required: true, example: .duration(.seconds(4)), "how long")
    ],
    proof: .fact(.mediaGap),
    trips: ["media.gap", "timing.monotonic"],
    needsWire: true, plays: .seconds(6),
    summary: "the media stops for a while",
    about: """
      Nothing is sent for this long; then the pictures go on where they stopped, with time stamps by the clock.
      """)
}
