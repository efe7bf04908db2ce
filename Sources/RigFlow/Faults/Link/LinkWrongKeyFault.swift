import RigModel

extension FaultDefinition {
  static let linkWrongKey = FaultDefinition(
    "wrong-key", .link, at: [.connectHotspot],
    proof: .link,
    trips: ["flow.corroborated"],
    needsWire: true,
    summary: "the station joins with another key; on a radio only",
    about: """
      The harness's station takes another key than the hotspot's. The access point never confirms it, and the station \
      is not let in. Needs `--link wifi`.
      """)
}
