import RigModel

extension FaultDefinition {
  static let rtpWrongPT = FaultDefinition(
    "wrong-pt", .rtp, at: [.running],
    arguments: [
      FaultArgumentDefinition("every", .integer, standard: .integer(50), "acts on one packet in this many")
    ],
    proof: .finding(["rtp.pt.known"]),
    trips: ["rtp.pt.known", "rtp.seq", "h264.fu", "media.decodable", "h264.marker.au-end"],
    needsWire: true, plays: .seconds(3),
    summary: "RTP packets have a payload type that the description does not know",
    about: """
      The packet says payload type 120, which no rtpmap describes. A receiver must leave it out.
      """)
}
