import RigModel

extension FaultDefinition {
  static let mediaLowRate = FaultDefinition(
    "low-rate", .media, at: [.running],
    arguments: [
      FaultArgumentDefinition("to", .integer, standard: .integer(5), "pictures a second")
    ],
    proof: .pictures(.rate), outcome: .borne,
    needsWire: true, plays: .seconds(3),
    summary: "the stream has few pictures a second",
    about: """
      The encoder delivers this many pictures a second. The decoder must measure it.
      """)
}
