import RigModel

extension FaultDefinition {
  static let rtspClose = FaultDefinition(
    "close", .rtsp, at: [.play],
    arguments: [
      FaultArgumentDefinition(
        "method", .text, choices: ["OPTIONS", "DESCRIBE", "SETUP", "PLAY"], standard: .text("SETUP"),
        "the request that it acts on")
    ],
    proof: .exchange(.closed),
    trips: ["rtsp.response.single"],
    needsWire: true,
    summary: "the connection is closed instead of an answer",
    about: """
      The server reads the request and closes the connection.
      """)
}
