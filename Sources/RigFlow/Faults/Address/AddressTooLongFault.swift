import RigModel

extension FaultDefinition {
  static let addressTooLong = FaultDefinition(
    "too-long", .address, at: [.receiveAddress],
    proof: .address(.tooLong),
    summary: "the address is over 1,024 bytes",
    about: """
      The address is longer than stage-link allows. It is refused and reported, and nothing is opened.
      """)
}
