public import RigModel
import RigWire

/// `rtcp.sr.present`
public struct SenderReportCheck: WireCheck {
  public static let info = CheckInfo(
    id: "rtcp.sr.present", rule: "A source that sends for ten seconds has sent a sender report.",
    reference: "RFC 3550 6.2", severity: .error)
  public static let interest = WireInterest()

  private static let patience: Int64 = 10_000_000_000

  public init(_ context: AnalysisContext) {}

  public mutating func finish(in world: borrowing WireWorld, log: inout FindingLog) {
    for index in world.tracks.indices {
      let track = world.tracks[index]
      // b=RS:0 turns sender reports off (RFC 3556).
      guard track.senderReports == 0, let first = track.streams.first, let last = track.streams.last,
        track.media?.bandwidths.contains(where: { $0.type == "RS" && $0.value == 0 }) != true
      else { continue }
      let from = world.streams[first].first
      let to = world.streams[last].last
      guard to.time &- from.time >= Self.patience else { continue }
      log.note(
        Self.info, "none", subject: index, at: to.evidence(ssrc: world.streams[last].ssrc),
        message:
          "no sender report in \(Duration.nanoseconds(to.time &- from.time).text) of \(track.url): "
          + "audio and video cannot be aligned"
      )
    }
  }
}
