import RigModel

extension FaultDefinition {
  static let rtspExtraBytes = FaultDefinition(
    "extra-bytes", .rtsp, at: [.running],
    arguments: [
      FaultArgumentDefinition("every", .integer, standard: .integer(20), "acts after one access unit in this many"),
      FaultArgumentDefinition("bytes", .integer, standard: .integer(6), "how many bytes"),
    ],
    proof: .finding(["framing.intact"]),
    trips: ["framing.intact", "rtsp.cseq.present", "rtsp.response.single"],
    needsWire: true, transport: .tcp, draws: true,
    summary: "bytes that belong to nothing stand between frames",
    about: """
      Bytes that are neither a frame nor a message follow an access unit on the interleaved connection. A receiver \
      has to find the next frame by itself.
      """)
}
