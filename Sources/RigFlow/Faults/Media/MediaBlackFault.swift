import RigModel

extension FaultDefinition {
  static let mediaBlack = FaultDefinition(
    "black", .media, at: [.running],
    proof: .pictures(.black), outcome: .borne,
    needsWire: true, plays: .seconds(3),
    summary: "the picture is black",
    about: """
      The camera delivers black pictures: everything flows and decodes, and there is nothing to see.
      """)
}
