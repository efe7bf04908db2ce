import RigModel

extension FaultDefinition {
  static let addressWrongHost = FaultDefinition(
    "wrong-host", .address, at: [.receiveAddress],
    proof: .address(.wrongHost),
    summary: "the address names a host that is not the device",
    about: """
      The address is well formed and names another host, where nobody listens. The harness opens what it received \
      and nothing else; it never puts the right host in.
      """)
}
