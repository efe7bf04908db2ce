import RigModel

extension FaultDefinition {
  static let rtspBadContentBase = FaultDefinition(
    "bad-content-base", .rtsp, at: [.play],
    proof: .finding(["rtsp.content-base.absolute"]),
    trips: ["rtsp.content-base.absolute", "sdp.control"],
    needsWire: true,
    summary: "Content-Base is a path instead of an absolute URL",
    about: """
      The base that relative control URLs are resolved against is not absolute (RFC 2326 C.1.1). Players resolve \
      it in different ways.
      """)
}
