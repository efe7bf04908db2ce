import RigModel

extension FaultDefinition {
  static let mediaNoParameterSets = FaultDefinition(
    "no-parameter-sets", .media, at: [.play],
    proof: .finding(["media.decodable"]),
    trips: ["sdp.h264.sprop", "media.decodable"],
    needsWire: true, plays: .seconds(3), limit: .seconds(6),
    summary: "neither the description nor the stream has parameter sets",
    about: """
      Nothing says how the pictures are coded. Key frames come, and no picture can be decoded.
      """)
}
