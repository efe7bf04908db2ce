public import RigModel
import RigWire

/// `rtcp.bye`
public struct ByeCheck: WireCheck {
  public static let info = CheckInfo(
    id: "rtcp.bye", rule: "A source says BYE when its session ends, and sends nothing after it.",
    reference: "RFC 3550 6.6", severity: .policy)
  public static let interest = WireInterest([.accessUnits])

  public init(_ context: AnalysisContext) {}

  public mutating func see(_ event: WireEvent, in world: borrowing WireWorld, log: inout FindingLog) {
    guard case .accessUnit(let unit) = event, unit.track >= 0, let bye = world.tracks[unit.track].sourceBye,
      unit.first.time &- bye.place.time > 1_000_000_000
    else { return }
    log.note(
      Self.info, "after", subject: unit.track, at: unit.first.evidence(ssrc: unit.ssrc),
      message: "\(Hex8(unit.ssrc)) still sends more than 1 s after its BYE")
  }

  public mutating func finish(in world: borrowing WireWorld, log: inout FindingLog) {
    for index in world.tracks.indices {
      let track = world.tracks[index]
      // A capture that stops right after TEARDOWN proves nothing.
      guard let stream = track.streams.last, track.sourceBye == nil, track.session >= 0,
        world.sessions[track.session].state == .tornDown, let ended = world.sessions[track.session].endedAt,
        world.now &- ended.time > 500_000_000
      else { continue }
      let last = world.streams[stream]
      log.note(
        Self.info, "missing", subject: index, at: last.last.evidence(ssrc: last.ssrc),
        message: "the session was torn down, and \(Hex8(last.ssrc)) never said BYE")
    }
  }
}
