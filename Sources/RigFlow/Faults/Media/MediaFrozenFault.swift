import RigModel

extension FaultDefinition {
  static let mediaFrozen = FaultDefinition(
    "frozen", .media, at: [.running],
    proof: .pictures(.frozen), outcome: .borne,
    needsWire: true, plays: .seconds(3),
    summary: "the picture stands still",
    about: """
      The encoder repeats one picture: everything flows and decodes, and nothing moves.
      """)
}
