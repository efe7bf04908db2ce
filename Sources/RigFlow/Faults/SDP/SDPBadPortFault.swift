import RigModel

extension FaultDefinition {
  static let sdpBadPort = FaultDefinition(
    "bad-port", .sdp, at: [.play],
    proof: .finding(["sdp.m.syntax"]),
    trips: ["sdp.m.syntax"],
    needsWire: true,
    summary: "the port of a media section is no number",
    about: """
      m= names no number as its port (RFC 4566 5.14).
      """)
}
