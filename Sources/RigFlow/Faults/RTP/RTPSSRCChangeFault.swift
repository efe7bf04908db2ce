import RigModel

extension FaultDefinition {
  static let rtpSSRCChange = FaultDefinition(
    "ssrc-change", .rtp, at: [.running],
    arguments: [
      FaultArgumentDefinition("after", .integer, standard: .integer(60), "packets of each track that come first")
    ],
    proof: .finding(["rtp.ssrc.stable"]),
    trips: ["rtp.ssrc.stable", "transport.ssrc.match"],
    needsWire: true, plays: .seconds(3), draws: true,
    summary: "the SSRC changes in mid-stream",
    about: """
      The stream goes on under another SSRC, without a BYE for the old one.
      """)
}
