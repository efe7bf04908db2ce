import RigModel

extension FaultDefinition {
  static let mediaMarkerPerNAL = FaultDefinition(
    "marker-per-nal", .media, at: [.running],
    proof: .finding(["h264.marker.au-end"]),
    trips: ["h264.marker.au-end", "media.decodable"],
    needsWire: true, plays: .seconds(3),
    summary: "each NAL unit ends in a marker, not only the picture",
    about: """
      The marker bit stands at the end of each NAL unit (RFC 6184 5.1). A receiver that believes it shows halves \
      of pictures.
      """)
}
