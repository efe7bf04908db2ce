public import RigModel

/// `rtp.initial.random`
public struct InitialRandomCheck: WireCheck {
  public static let info = CheckInfo(
    id: "rtp.initial.random", rule: "Sequence number and timestamp begin at random values.",
    reference: "RFC 3550 5.1", severity: .policy)
  public static let interest = WireInterest(notes: .firstPacket)

  public init(_ context: AnalysisContext) {}

  public mutating func see(
    rtp packet: RTPEvent, payload: RawSpan, in world: borrowing WireWorld, log: inout FindingLog
  ) {
    // Only a stream that was seen from its beginning tells; that needs its SETUP.
    guard packet.track >= 0, packet.sequence <= 1 || packet.timestamp == 0 else { return }
    log.note(
      Self.info, "zero", subject: packet.stream, at: packet.evidence,
      message:
        "\(Hex8(packet.ssrc)) begins with sequence number \(packet.sequence) and timestamp \(packet.timestamp)")
  }
}
