import RigModel

extension FaultDefinition {
  static let rtpEarlyBye = FaultDefinition(
    "early-bye", .rtp, at: [.running],
    arguments: [
      FaultArgumentDefinition("after", .duration, standard: .duration(.seconds(2)), "how long after PLAY")
    ],
    proof: .stream(.earlyBye),
    trips: ["rtcp.bye", "media.gap", "rtcp.sr.present"],
    needsWire: true, plays: .seconds(8),
    summary: "the source says goodbye and the media ends",
    about: """
      A BYE is sent on each track that long after PLAY, and no packet after it, while the session plays on.
      """)
}
