import RigModel

extension FaultDefinition {
  static let rtpWrongSSRC = FaultDefinition(
    "wrong-ssrc", .rtp, at: [.play],
    proof: .finding(["transport.ssrc.match"]),
    trips: ["transport.ssrc.match"],
    needsWire: true, plays: .seconds(3),
    summary: "Transport announces another SSRC than the stream's",
    about: """
      The answer to SETUP names an SSRC that no packet carries.
      """)
}
