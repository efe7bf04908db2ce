import RigModel

extension FaultDefinition {
  static let rtpTSJump = FaultDefinition(
    "ts-jump", .rtp, at: [.running],
    arguments: [
      FaultArgumentDefinition("after", .integer, standard: .integer(60), "packets of each track that come first"),
      FaultArgumentDefinition(
        "by", .duration, standard: .duration(.seconds(30)), "how far; less than 10 s passes for a pause"),
    ],
    proof: .finding(["timing.monotonic"]),
    trips: ["timing.monotonic", "timing.clock-rate", "timing.av-sync", "media.decodable", "rtcp.sr.mapping"],
    needsWire: true, plays: .seconds(3),
    summary: "the time stamps jump ahead",
    about: """
      From one packet on all time stamps of a track are later by this much.
      """)
}
