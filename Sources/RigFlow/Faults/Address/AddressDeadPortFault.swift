import RigModel

extension FaultDefinition {
  static let addressDeadPort = FaultDefinition(
    "dead-port", .address, at: [.receiveAddress],
    proof: .address(.deadPort),
    summary: "the address names a port where nobody listens",
    about: """
      The address is well formed, and its port is closed. The address is to blame, though it shows only when the \
      player connects.
      """)
}
