import RigModel

extension FaultDefinition {
  static let sdpMissingRTPMap = FaultDefinition(
    "missing-rtpmap", .sdp, at: [.play],
    proof: .finding(["sdp.rtpmap.dynamic"]),
    trips: ["sdp.rtpmap.dynamic", "sdp.fmtp.pt", "media.decodable", "rtcp.sr.mapping"],
    needsWire: true, limit: .seconds(6),
    summary: "a dynamic payload type has no rtpmap",
    about: """
      The description does not say what its payload types are (RFC 2326 C.1.3).
      """)
}
