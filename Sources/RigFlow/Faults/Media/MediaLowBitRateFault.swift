import RigModel

extension FaultDefinition {
  static let mediaLowBitRate = FaultDefinition(
    "low-bitrate", .media, at: [.running],
    arguments: [
      FaultArgumentDefinition("to", .bitRate, standard: .bitRate(BitRate(bitsPerSecond: 100_000)), "the bit rate")
    ],
    proof: .stream(.bitRate), outcome: .borne,
    trips: ["media.bitrate"],
    needsWire: true, plays: .seconds(5),
    summary: "the stream has a low bit rate",
    about: """
      The encoder delivers about this bit rate, whatever was asked for. The capture must measure it.
      """)
}
