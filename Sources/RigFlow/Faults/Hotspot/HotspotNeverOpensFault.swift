import RigModel

extension FaultDefinition {
  static let hotspotNeverOpens = FaultDefinition(
    "never-opens", .hotspot, at: [.waitForHotspot],
    proof: .missingCompletion,
    limit: .seconds(3),
    summary: "the hotspot never opens",
    about: """
      The device says that it waits for its hotspot, and nothing opens until the run is stopped.
      """)
}
