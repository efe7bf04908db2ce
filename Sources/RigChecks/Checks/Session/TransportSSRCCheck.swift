public import RigModel

/// `transport.ssrc.match`
public struct TransportSSRCCheck: WireCheck {
  public static let info = CheckInfo(
    id: "transport.ssrc.match", rule: "Packets carry the SSRC that the Transport header announced.",
    reference: "RFC 2326 12.39", severity: .error)
  public static let interest = WireInterest(notes: .firstPacket)

  public init(_ context: AnalysisContext) {}

  public mutating func see(
    rtp packet: RTPEvent, payload: RawSpan, in world: borrowing WireWorld, log: inout FindingLog
  ) {
    guard packet.track >= 0, let announced = world.tracks[packet.track].ssrc, announced != packet.ssrc,
      // A later change is the business of rtp.ssrc.stable.
      !packet.notes.contains(.newSSRC)
    else { return }
    log.note(
      Self.info, "other", subject: packet.track, at: packet.evidence,
      message:
        "Transport announced ssrc=\(Hex8(announced)) "
        + "and the packets of \(world.tracks[packet.track].url) carry \(Hex8(packet.ssrc))"
    )
  }
}
