import RigModel

extension FaultDefinition {
  static let rtspStaleNonce = FaultDefinition(
    "stale-nonce", .rtsp, at: [.play],
    proof: .exchange(.stale), outcome: .borne,
    needsWire: true,
    summary: "the nonce of the authentication expires in the middle of the dialogue",
    about: """
      As digest-auth, and the nonce is refused once with stale=true and a new one (RFC 7616 3.3). A player must \
      answer with the new nonce, and must not take the password for wrong.
      """)
}
