import RigModel

extension FaultDefinition {
  static let rtpTSBackwards = FaultDefinition(
    "ts-backwards", .rtp, at: [.running],
    arguments: [
      FaultArgumentDefinition("after", .integer, standard: .integer(60), "packets of each track that come first"),
      FaultArgumentDefinition("by", .duration, standard: .duration(.seconds(2)), "how far"),
    ],
    proof: .finding(["timing.monotonic"]),
    trips: ["timing.monotonic", "timing.clock-rate", "timing.av-sync", "media.decodable", "rtcp.sr.mapping"],
    needsWire: true, plays: .seconds(3),
    summary: "the time stamps jump back",
    about: """
      From one packet on all time stamps of a track are earlier by this much.
      """)
}
