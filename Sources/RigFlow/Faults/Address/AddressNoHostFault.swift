import RigModel

extension FaultDefinition {
  static let addressNoHost = FaultDefinition(
    "no-host", .address, at: [.receiveAddress],
    proof: .address(.noHost),
    summary: "the address has no host",
    about: """
      The address is rtsp:///live. It is refused and reported, and nothing is opened.
      """)
}
