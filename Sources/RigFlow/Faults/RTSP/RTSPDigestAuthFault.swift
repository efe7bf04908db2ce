import RigModel

extension FaultDefinition {
  static let rtspDigestAuth = FaultDefinition(
    "digest-auth", .rtsp, at: [.play],
    proof: .exchange(.challenge), outcome: .borne,
    needsWire: true,
    summary: "the server asks for digest authentication",
    about: """
      The address carries a user and a password, and every request must prove that the player knows them (RFC \
      7616). A player that follows the challenge plays. The password is redacted in all reports.
      """)
}
