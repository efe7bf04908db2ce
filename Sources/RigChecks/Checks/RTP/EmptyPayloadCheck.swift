public import RigModel

/// `rtp.payload.empty`
public struct EmptyPayloadCheck: WireCheck {
  public static let info = CheckInfo(
    id: "rtp.payload.empty", rule: "RTP packets carry a payload.", reference: "RFC 3550 5.1", severity: .warning)
  public static let interest = WireInterest(notes: .emptyPayload)

  public init(_ context: AnalysisContext) {}

  public mutating func see(
    rtp packet: RTPEvent, payload: RawSpan, in world: borrowing WireWorld, log: inout FindingLog
  ) {
    log.note(
      Self.info, "empty", subject: packet.stream, at: packet.evidence,
      message: "packets of \(Hex8(packet.ssrc)) have no payload")
  }
}
