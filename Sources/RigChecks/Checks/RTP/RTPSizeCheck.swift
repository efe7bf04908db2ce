public import RigModel

/// `rtp.size.mtu`
public struct RTPSizeCheck: WireCheck {
  public static let info = CheckInfo(
    id: "rtp.size.mtu", rule: "RTP datagrams fit the path: none is cut into IP fragments.",
    reference: "RFC 3550 10, RFC 8085 3.2", severity: .warning)
  public static let interest = WireInterest(notes: .fragmented)

  public init(_ context: AnalysisContext) {}

  public mutating func see(
    rtp packet: RTPEvent, payload: RawSpan, in world: borrowing WireWorld, log: inout FindingLog
  ) {
    log.note(
      Self.info, "fragments", subject: packet.stream, at: packet.evidence,
      message: "packets of \(Hex8(packet.ssrc)) come in IP fragments: one lost fragment loses the packet")
  }
}
