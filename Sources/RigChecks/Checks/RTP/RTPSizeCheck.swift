public import RigModel

/// `rtp.size.mtu`
public struct RTPSizeCheck: WireCheck {
  public static let info = CheckInfo(
    id: "rtp.size.mtu", rule: "RTP datagrams fit an Ethernet path: none exceeds 1,472 bytes or comes in IP fragments.",
    reference: "RFC 3550 10, RFC 8085 3.2", severity: .warning)
  public static let interest = WireInterest(notes: [.fragmented, .oversize])

  public init(_ context: AnalysisContext) {}

  public mutating func see(
    rtp packet: RTPEvent, payload: RawSpan, in world: borrowing WireWorld, log: inout FindingLog
  ) {
    if world.streams.indices.contains(packet.stream), world.streams[packet.stream].isInterleaved {
      // TCP carries any size; the buffers of some players do not.
      log.note(
        Self.info, "frame", subject: packet.stream, at: packet.evidence, severity: .policy,
        message: "interleaved packets of \(Hex8(packet.ssrc)) exceed 2,048 bytes: some players cannot hold them")
      return
    }
    guard packet.notes.contains(.fragmented) else {
      log.note(
        Self.info, "large", subject: packet.stream, at: packet.evidence,
        message: "datagrams of \(Hex8(packet.ssrc)) exceed 1,472 bytes: another network would fragment them")
      return
    }
    log.note(
      Self.info, "fragments", subject: packet.stream, at: packet.evidence,
      message: "packets of \(Hex8(packet.ssrc)) come in IP fragments: one lost fragment loses the packet")
  }
}
