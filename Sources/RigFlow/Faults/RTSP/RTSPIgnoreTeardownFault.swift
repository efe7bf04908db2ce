import RigModel

extension FaultDefinition {
  static let rtspIgnoreTeardown = FaultDefinition(
    "ignore-teardown", .rtsp, at: [.cleanUp],
    proof: .finding(["session.teardown"]),
    trips: ["session.teardown", "flow.clean-end", "rtcp.bye"],
    needsWire: true, transport: .udp,
    summary: "TEARDOWN is answered and the media goes on",
    about: """
      TEARDOWN is answered with 200, and packets keep coming after the session is over. It is proven where packets \
      leave one by one, that is, over UDP.
      """)
}
