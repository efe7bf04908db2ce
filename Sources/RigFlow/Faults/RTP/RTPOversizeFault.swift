import RigModel

extension FaultDefinition {
  static let rtpOversize = FaultDefinition(
    "oversize", .rtp, at: [.running],
    proof: .finding(["rtp.size.mtu"]), outcome: .borne,
    trips: ["rtp.size.mtu"],
    needsWire: true, transport: .udp, plays: .seconds(3),
    summary: "RTP packets are larger than an Ethernet frame",
    about: """
      Payloads of up to 9,000 bytes: IP must cut them into fragments. A link with a smaller MTU loses them whole.
      """)
}
