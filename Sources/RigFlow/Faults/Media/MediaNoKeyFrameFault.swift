import RigModel

extension FaultDefinition {
  static let mediaNoKeyFrame = FaultDefinition(
    "no-key-frame", .media, at: [.play],
    proof: .finding(["media.decodable"]),
    trips: ["media.decodable", "sdp.h264.sprop"],
    needsWire: true, plays: .seconds(3), limit: .seconds(6),
    summary: "no key frame is ever sent",
    about: """
      The stream begins behind a key frame and leaves every key frame out: packets come, and no picture can be \
      decoded.
      """)
}
