import RigModel

extension FaultDefinition {
  static let hotspotSlowOpen = FaultDefinition(
    "slow-open", .hotspot, at: [.waitForHotspot],
    arguments: [
      FaultArgumentDefinition(
        "for", .duration, required: true, example: .duration(.seconds(2)), "how long it takes at least")
    ],
    proof: .lateCompletion, outcome: .borne,
    summary: "the hotspot opens late, inside its limit",
    about: """
      The access point takes at least as long as asked to open. Inside the limit nothing may be blamed.
      """)
}
