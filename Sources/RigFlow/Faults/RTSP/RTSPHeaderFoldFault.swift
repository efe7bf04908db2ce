import RigModel

extension FaultDefinition {
  static let rtspHeaderFold = FaultDefinition(
    "header-fold", .rtsp, at: [.play],
    proof: .finding(["rtsp.header.fold"]),
    trips: ["rtsp.header.fold"],
    needsWire: true,
    summary: "header values go on in a second line",
    about: """
      Every header value is folded. RFC 2326 4.2 allows it, and players stumble over it: libav, which the harness \
      plays with, finds no session.
      """)
}
