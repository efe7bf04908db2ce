import RigModel

extension FaultDefinition {
  static let linkSubnetClash = FaultDefinition(
    "subnet-clash", .link, at: [.connectHotspot],
    proof: .link,
    trips: ["flow.corroborated"],
    needsWire: true,
    summary: "the station has another network with the device's addresses",
    about: """
      The station is already in a network with the same addresses, so that nothing reaches the device.
      """)
}
