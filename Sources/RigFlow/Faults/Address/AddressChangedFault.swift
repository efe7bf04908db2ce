import RigModel

extension FaultDefinition {
  static let addressChanged = FaultDefinition(
    "changed", .address, at: [.receiveAddress],
    proof: .secondAddress, outcome: .failsAt(.protocolOrder),
    trips: ["flow.order"],
    summary: "a second, different address follows",
    about: """
      Another address follows the first. Only the first is opened.
      """)
}
