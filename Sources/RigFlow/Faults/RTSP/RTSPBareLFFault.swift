import RigModel

extension FaultDefinition {
  static let rtspBareLF = FaultDefinition(
    "bare-lf", .rtsp, at: [.play],
    proof: .finding(["rtsp.line.crlf"]),
    trips: ["rtsp.line.crlf"],
    needsWire: true,
    summary: "lines of answers end in LF alone",
    about: """
      Answers leave out the CR of every line. Players may tolerate it; the dialogue breaks the rule.
      """)
}
