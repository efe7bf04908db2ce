import RigModel

extension FaultDefinition {
  static let sdpNoFinalCRLF = FaultDefinition(
    "no-final-crlf", .sdp, at: [.play],
    proof: .finding(["sdp.text"]), outcome: .borne,
    trips: ["sdp.text"],
    needsWire: true,
    summary: "the last line of the description does not end",
    about: """
      The body ends in the middle of its last line. Nothing is missing but the line end, and players read on.
      """)
}
