import RigModel

extension FaultDefinition {
  static let rtpNoSR = FaultDefinition(
    "no-sr", .rtp, at: [.running],
    proof: .finding(["rtcp.sr.present"]),
    trips: ["rtcp.sr.present"],
    needsWire: true, plays: .seconds(12),
    summary: "no sender reports come",
    about: """
      The sender reports that tie RTP time to the clock are left out.
      """)
}
