import RigModel

extension FaultDefinition {
  static let controlStaleData = FaultDefinition(
    "stale-data", .controlLink, at: controlledStages.filter { $0 != .preflight },
    arguments: [
      FaultArgumentDefinition("bytes", .integer, standard: .integer(2048), "how many old bytes, 1 to 65536")
    ],
    proof: .transport(.staleData), outcome: .borne, capability: .usb, plays: .seconds(3),
    summary: "the device comes back with bytes of an earlier conversation",
    about: """
      The device leaves the USB for a moment. When it is back, what it had said before comes out of its endpoint \
      again, ahead of everything else. The harness drops that when it opens the channel, and takes none of it for news.
      """)
}
