import RigModel

extension FaultDefinition {
  static let rtpDrop = FaultDefinition(
    "drop", .rtp, at: [.running],
    arguments: [
      FaultArgumentDefinition("every", .integer, standard: .integer(50), "acts on one packet in this many")
    ],
    proof: .finding(["rtp.seq", "h264.fu"]),
    trips: ["rtp.seq", "h264.fu", "media.decodable", "h264.marker.au-end"],
    needsWire: true, plays: .seconds(3),
    summary: "RTP packets are never sent",
    about: """
      The packet takes up its sequence number and is not sent, as if the network had lost it.
      """)
}
