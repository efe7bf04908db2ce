import RigModel

extension FaultDefinition {
  static let sdpHuge = FaultDefinition(
    "huge", .sdp, at: [.play],
    arguments: [
      FaultArgumentDefinition("bytes", .integer, standard: .integer(65536), "bytes of filling, at most 1,048,576")
    ],
    proof: .exchange(.body), outcome: .borne,
    needsWire: true,
    summary: "the description is very large",
    about: """
      Attributes that mean nothing fill the description up to this size. It breaks no rule; a parser with a small \
      buffer breaks.
      """)
}
