import RigModel

extension FaultDefinition {
  static let sdpNoControl = FaultDefinition(
    "no-control", .sdp, at: [.play],
    proof: .finding(["sdp.control"]),
    trips: ["sdp.control"],
    needsWire: true,
    summary: "the media sections have no control URL",
    about: """
      Nothing says which URL to SET UP for which media section (RFC 2326 C.1.1).
      """)
}
