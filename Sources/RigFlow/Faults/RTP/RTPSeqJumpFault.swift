import RigModel

extension FaultDefinition {
  static let rtpSeqJump = FaultDefinition(
    "seq-jump", .rtp, at: [.running],
    arguments: [
      FaultArgumentDefinition("after", .integer, standard: .integer(60), "packets of each track that come first"),
      FaultArgumentDefinition("by", .integer, standard: .integer(1000), "how many numbers are skipped"),
    ],
    proof: .finding(["rtp.seq"]),
    trips: ["rtp.seq"],
    needsWire: true, plays: .seconds(3),
    summary: "the sequence number jumps",
    about: """
      The sequence number skips once; nothing is missing in between.
      """)
}
