import RigModel

extension FaultDefinition {
  static let mediaAnnexBInFU = FaultDefinition(
    "annexb-in-fu", .media, at: [.running],
    proof: .finding(["h264.no-startcode"]),
    trips: ["h264.no-startcode", "media.decodable"],
    needsWire: true, plays: .seconds(3),
    summary: "start codes stand in the RTP payload",
    about: """
      The sender forgets to strip Annex B: fragments carry a start code and the whole NAL unit (RFC 6184 5.6).
      """)
}
