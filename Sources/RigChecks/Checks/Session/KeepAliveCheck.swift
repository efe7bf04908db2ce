public import RigModel
import RigWire

/// `session.keepalive`
public struct KeepAliveCheck: WireCheck {
  public static let info = CheckInfo(
    id: "session.keepalive",
    rule: "A playing client gives a sign within each timeout, and the server takes a keep-alive as long as it sends.",
    reference: "RFC 2326 12.37", severity: .error)
  public static let interest = WireInterest([.accessUnits], notes: .afterEnd)

  public init(_ context: AnalysisContext) {}

  public mutating func see(_ event: WireEvent, in world: borrowing WireWorld, log: inout FindingLog) {
    guard case .accessUnit(let unit) = event, unit.track >= 0 else { return }
    let index = world.tracks[unit.track].session
    guard index >= 0, world.sessions[index].state == .playing else { return }
    let session = world.sessions[index]
    let silent = unit.last.time &- session.lastSign
    guard silent > Int64(clamping: session.timeout) &* 1_000_000_000, session.timeout < 1 << 31 else { return }
    // Where media runs in the connection itself, most servers take that for a sign.
    log.note(
      Self.info, "late", subject: index, at: unit.last.evidence(ssrc: unit.ssrc),
      severity: world.tracks[unit.track].isInterleaved ? .policy : .warning,
      message:
        "no request and no receiver report in session \(session.id) for \(Duration.nanoseconds(silent).text); "
        + "its timeout is \(session.timeout) s"
    )
  }

  public mutating func see(
    rtp packet: RTPEvent, payload: RawSpan, in world: borrowing WireWorld, log: inout FindingLog
  ) {
    guard packet.track >= 0 else { return }
    let index = world.tracks[packet.track].session
    guard index >= 0, world.sessions[index].state == .expired else { return }
    log.note(
      Self.info, "refused", subject: packet.track, at: packet.evidence,
      message: "media of session \(world.sessions[index].id) still comes 2 s after a request in it was refused with 454"
    )
  }
}
