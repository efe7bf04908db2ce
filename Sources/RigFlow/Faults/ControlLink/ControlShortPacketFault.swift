import RigModel

extension FaultDefinition {
  static let controlShortPacket = FaultDefinition(
    "short-packet", .controlLink, at: controlledStages,
    arguments: [
      FaultArgumentDefinition("bytes", .integer, standard: .integer(8), "bytes of each packet, 1 to 8"),
      FaultArgumentDefinition("for", .duration, "how long; left out: until the faults are cleared"),
    ],
    proof: .transport(.shortPackets), outcome: .borne, capability: .usb, plays: .seconds(3),
    summary: "the device sends its records in crumbs",
    about: """
      Each IN transfer ends with a packet of a few bytes, so that records come in many pieces. That is legal: the \
      boundaries of transfers mean nothing.
      """)
}
