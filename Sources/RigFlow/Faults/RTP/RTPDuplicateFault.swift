import RigModel

extension FaultDefinition {
  static let rtpDuplicate = FaultDefinition(
    "duplicate", .rtp, at: [.running],
    arguments: [
      FaultArgumentDefinition("every", .integer, standard: .integer(20), "acts on one packet in this many")
    ],
    proof: .finding(["rtp.seq"]), outcome: .borne,
    trips: ["rtp.seq"],
    needsWire: true, transport: .udp, plays: .seconds(3),
    summary: "RTP packets are sent twice",
    about: """
      The packet comes again after the one that follows it, with the same sequence number, as networks do with \
      datagrams. A receiver must leave the second one out.
      """)
}
