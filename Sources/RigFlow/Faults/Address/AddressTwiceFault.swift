import RigModel

extension FaultDefinition {
  static let addressTwice = FaultDefinition(
    "twice", .address, at: [.receiveAddress],
    proof: .secondAddress, outcome: .failsAt(.protocolOrder),
    trips: ["flow.order"],
    summary: "the address comes twice",
    about: """
      The same address is sent again. It is opened once.
      """)
}
