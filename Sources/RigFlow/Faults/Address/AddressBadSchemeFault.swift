import RigModel

extension FaultDefinition {
  static let addressBadScheme = FaultDefinition(
    "bad-scheme", .address, at: [.receiveAddress],
    proof: .address(.scheme),
    summary: "the address has another scheme",
    about: """
      The address begins with http instead of rtsp. It is refused and reported, and nothing is opened.
      """)
}
