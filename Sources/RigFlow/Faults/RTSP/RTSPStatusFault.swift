import RigModel

extension FaultDefinition {
  static let rtspStatus = FaultDefinition(
    "status", .rtsp, at: [.play],
    arguments: [
      FaultArgumentDefinition("code", .integer, standard: .integer(503), "the status of the answer"),
      FaultArgumentDefinition(
        "method", .text, choices: ["OPTIONS", "DESCRIBE", "SETUP", "PLAY"], standard: .text("DESCRIBE"),
        "the request that it acts on"),
    ],
    proof: .exchange(.status),
    trips: ["rtsp.status.state", "rtsp.public.truthful", "rtsp.auth.challenge", "rtsp.redirect.sane"],
    needsWire: true,
    summary: "a request is answered with an error status",
    about: """
      The server answers the request with the given status and does not carry it out. The capture must show that \
      answer to that request.
      """)
}
