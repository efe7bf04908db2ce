import RigModel

extension FaultDefinition {
  static let rtspNoReply = FaultDefinition(
    "no-reply", .rtsp, at: [.play],
    arguments: [
      FaultArgumentDefinition(
        "method", .text, choices: ["OPTIONS", "DESCRIBE", "SETUP", "PLAY"], standard: .text("DESCRIBE"),
        "the request that it acts on")
    ],
    proof: .exchange(.unanswered),
    trips: ["rtsp.response.single"],
    needsWire: true, limit: .seconds(4),
    summary: "a request is never answered",
    about: """
      The server reads the request and stays silent. The player gives up by its own time limit.
      """)
}
