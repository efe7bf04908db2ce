import RigModel

extension FaultDefinition {
  static let flowOtherRun = FaultDefinition(
    "other-run", .flow, at: completedStages,
    proof: .otherRun,
    limit: .seconds(3),
    summary: "the completion carries another run's id",
    about: """
      The completion comes under an id that is not this run's. It belongs to somebody else, so this stage never \
      completes.
      """)
}
