import RigModel

extension FaultDefinition {
  static let sdpBinary = FaultDefinition(
    "binary", .sdp, at: [.play],
    proof: .finding(["sdp.text"]),
    trips: ["sdp.text"],
    needsWire: true,
    summary: "the description holds bytes that are no text",
    about: """
      The session name holds bytes that are no UTF-8 and a control byte (RFC 4566 5).
      """)
}
