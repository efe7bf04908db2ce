import RigModel

extension FaultDefinition {
  static let rtspBadContentLength = FaultDefinition(
    "bad-content-length", .rtsp, at: [.play],
    arguments: [
      FaultArgumentDefinition("by", .integer, standard: .integer(-20), "bytes by which it is off; negative: too short")
    ],
    proof: .finding(["rtsp.content-length.exact", "framing.intact"]),
    trips: [
      "rtsp.content-length.exact", "framing.intact", "sdp.mandatory", "sdp.m.syntax", "sdp.text",
      "rtsp.response.single", "rtsp.cseq.present", "sdp.control", "sdp.rtpmap.dynamic", "sdp.fmtp.pt", "sdp.aac.params",
    ],
    needsWire: true,
    summary: "Content-Length is not the length of the body",
    about: """
      The header of the description announces more (or, negative, fewer) bytes than follow.
      """)
}
