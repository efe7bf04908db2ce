import RigModel

extension FaultDefinition {
  static let rtpPadding = FaultDefinition(
    "padding", .rtp, at: [.running],
    arguments: [
      FaultArgumentDefinition("every", .integer, standard: .integer(3), "acts on one packet in this many"),
      FaultArgumentDefinition("bytes", .integer, standard: .integer(16), "bytes of padding, 1 to 255"),
    ],
    proof: .stream(.padding), outcome: .borne,
    needsWire: true, plays: .seconds(3),
    summary: "RTP packets end in padding",
    about: """
      The packet has the padding bit and ends in padding (RFC 3550 5.1). It is legal; a receiver that does not \
      take it off decodes garbage.
      """)
}
