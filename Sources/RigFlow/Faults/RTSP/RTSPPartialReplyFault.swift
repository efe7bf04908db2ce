import RigModel

extension FaultDefinition {
  static let rtspPartialReply = FaultDefinition(
    "partial-reply", .rtsp, at: [.play],
    arguments: [
      FaultArgumentDefinition(
        "method", .text, choices: ["OPTIONS", "DESCRIBE", "SETUP", "PLAY"], standard: .text("DESCRIBE"),
        "the request that it acts on")
    ],
    proof: .exchange(.cut),
    trips: [
      "rtsp.response.single", "rtsp.content-length.exact", "framing.intact", "session.id.stable", "transport.present",
    ],
    needsWire: true,
    summary: "half of an answer comes, then the connection closes",
    about: """
      The server sends the first half of the answer and closes the connection. What came must not be taken for an \
      answer.
      """)
}
