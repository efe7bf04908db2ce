import RigModel

extension FaultDefinition {
  static let rtpUnknownChannel = FaultDefinition(
    "unknown-channel", .rtp, at: [.running],
    arguments: [
      FaultArgumentDefinition("every", .integer, standard: .integer(20), "acts on one packet in this many")
    ],
    proof: .finding(["framing.channel.assigned"]),
    trips: ["framing.channel.assigned", "rtp.seq", "h264.fu", "media.decodable", "h264.marker.au-end", "media.gap"],
    needsWire: true, transport: .tcp, plays: .seconds(3),
    summary: "interleaved frames are on a channel that no SETUP assigned",
    about: """
      The packet is on interleaved channel 250. A receiver must leave it out, so its sequence number is missing.
      """)
}
