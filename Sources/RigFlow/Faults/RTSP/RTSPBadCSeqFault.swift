import RigModel

extension FaultDefinition {
  static let rtspBadCSeq = FaultDefinition(
    "bad-cseq", .rtsp, at: [.play],
    proof: .finding(["rtsp.cseq.echo"]),
    trips: ["rtsp.cseq.echo"],
    needsWire: true,
    summary: "a reply carries another CSeq than its request",
    about: """
      Each answer names a CSeq that is one too high. Lenient players play on; the dialogue breaks the rule all the \
      same.
      """)
}
