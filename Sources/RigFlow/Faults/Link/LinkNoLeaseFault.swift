import RigModel

extension FaultDefinition {
  static let linkNoLease = FaultDefinition(
    "no-lease", .link, at: [.connectHotspot],
    arguments: [
      FaultArgumentDefinition(
        "manner", .text, choices: ["silent", "refusing"], standard: .text("silent"),
        "whether the DHCP server stays silent or refuses")
    ],
    proof: .link,
    trips: ["flow.corroborated"],
    needsWire: true,
    summary: "the station gets no address",
    about: """
      The DHCP server of the hotspot stays silent or refuses. The join is reported, and there is no way to the \
      device.
      """)
}
