import RigModel

extension FaultDefinition {
  static let addressControlBytes = FaultDefinition(
    "control-bytes", .address, at: [.receiveAddress],
    proof: .address(.controlBytes),
    summary: "the address holds control bytes",
    about: """
      The address goes on with a line end, a made-up header line and a terminal escape. It is refused, and \
      reported in a form that a terminal survives.
      """)
}
