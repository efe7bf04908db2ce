public import RigModel

/// `rtp.ssrc.stable`
public struct SSRCStableCheck: WireCheck {
  public static let info = CheckInfo(
    id: "rtp.ssrc.stable", rule: "A track keeps its SSRC, unless its source said BYE.",
    reference: "RFC 3550 5.1, 8.2", severity: .error)
  public static let interest = WireInterest(notes: .newSSRC)

  public init(_ context: AnalysisContext) {}

  public mutating func see(
    rtp packet: RTPEvent, payload: RawSpan, in world: borrowing WireWorld, log: inout FindingLog
  ) {
    guard packet.track >= 0, packet.notes.contains(.newSSRC) else { return }
    let track = world.tracks[packet.track]
    let before = track.streams.dropLast().last.map { world.streams[$0].ssrc }
    log.note(
      Self.info, "change", subject: packet.track, at: packet.evidence,
      severity: track.sourceBye == nil ? nil : .warning,
      message:
        "the SSRC of \(track.url) changed\(before.map { " from \(Hex8($0))" } ?? "") to \(Hex8(packet.ssrc))")
  }
}
