import RigModel

extension FaultDefinition {
  static let rtpBadSRTime = FaultDefinition(
    "bad-sr-time", .rtp, at: [.running],
    arguments: [
      FaultArgumentDefinition("by", .duration, standard: .duration(.seconds(3)), "how far it is off")
    ],
    proof: .finding(["rtcp.sr.mapping"]),
    trips: ["rtcp.sr.mapping", "timing.av-sync"],
    needsWire: true, plays: .seconds(8),
    summary: "sender reports whose NTP time does not fit the stream",
    about: """
      From the second report on the NTP time is off, so that the mapping of RTP time to the clock jumps.
      """)
}
