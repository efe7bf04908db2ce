import RigModel

extension FaultDefinition {
  static let rtspReplyInsideFrame = FaultDefinition(
    "reply-inside-frame", .rtsp, at: [.play],
    arguments: [
      FaultArgumentDefinition(
        "method", .text, choices: ["OPTIONS", "DESCRIBE", "SETUP", "PLAY"], standard: .text("PLAY"),
        "the request that it acts on")
    ],
    proof: .finding(["framing.intact", "rtsp.response.single"]),
    trips: ["framing.intact", "framing.channel.assigned", "rtsp.response.single", "rtsp.cseq.present"],
    needsWire: true, transport: .tcp,
    summary: "an answer stands inside an interleaved frame",
    about: """
      The head of an interleaved frame stands in front of the answer and announces more than follows. A receiver \
      that believes it swallows the answer.
      """)
}
