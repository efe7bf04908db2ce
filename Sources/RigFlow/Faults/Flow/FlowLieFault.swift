import RigModel

extension FaultDefinition {
  static let flowLie = FaultDefinition(
    "lie", .flow, at: [.connectHotspot],
    proof: .contradictedSuccess,
    trips: ["flow.corroborated"],
    summary: "success is reported, and is not true",
    about: """
      The device reports that the hotspot is joined while nobody can reach its access point. The link, not the \
      event, decides.
      """)
}
