import RigModel

extension FaultDefinition {
  static let sdpNoSprop = FaultDefinition(
    "no-sprop", .sdp, at: [.play],
    proof: .finding(["sdp.h264.sprop"]), outcome: .borne,
    trips: ["sdp.h264.sprop"],
    needsWire: true,
    summary: "the description has no sprop-parameter-sets",
    about: """
      The parameter sets come in the stream only. A player can decode once it has seen them; one that needs them \
      at once cannot.
      """)
}
