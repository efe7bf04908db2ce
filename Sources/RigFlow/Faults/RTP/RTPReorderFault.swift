import RigModel

extension FaultDefinition {
  static let rtpReorder = FaultDefinition(
    "reorder", .rtp, at: [.running],
    arguments: [
      FaultArgumentDefinition("every", .integer, standard: .integer(20), "acts on one packet in this many")
    ],
    proof: .finding(["rtp.seq"]),
    trips: ["rtp.seq", "h264.fu", "media.decodable", "h264.marker.au-end"],
    needsWire: true, transport: .tcp, plays: .seconds(3),
    summary: "RTP packets change places",
    about: """
      The packet is sent after the one that follows it, inside a picture. Networks do that with datagrams, and \
      receivers must bear it; on a connection nothing may change places.
      """)
}
