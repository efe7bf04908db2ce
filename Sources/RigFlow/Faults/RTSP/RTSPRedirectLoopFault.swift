import RigModel

extension FaultDefinition {
  static let rtspRedirectLoop = FaultDefinition(
    "redirect-loop", .rtsp, at: [.play],
    proof: .finding(["rtsp.redirect.sane"]),
    trips: ["rtsp.redirect.sane"],
    needsWire: true, limit: .seconds(6),
    summary: "DESCRIBE is redirected to its own URL",
    about: """
      DESCRIBE is answered with 302 and its own URL as Location. A player must give up after a few rounds.
      """)
}
