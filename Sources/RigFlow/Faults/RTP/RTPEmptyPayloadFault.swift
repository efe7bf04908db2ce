import RigModel

extension FaultDefinition {
  static let rtpEmptyPayload = FaultDefinition(
    "empty-payload", .rtp, at: [.running],
    arguments: [
      FaultArgumentDefinition("after", .integer, standard: .integer(40), "packets of each track that come first")
    ],
    proof: .finding(["rtp.payload.empty"]), outcome: .borne,
    trips: ["rtp.payload.empty"],
    needsWire: true, plays: .seconds(3),
    summary: "an RTP packet has no payload",
    about: """
      One packet of each track carries nothing. It is odd and breaks no rule: a warning.
      """)
}
