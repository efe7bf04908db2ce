public import RigModel
import RigWire

/// `rtcp.sr.counts`
public struct SenderReportCountsCheck: WireCheck {
  public static let info = CheckInfo(
    id: "rtcp.sr.counts", rule: "From report to report the packet count grows by the packets that were sent.",
    reference: "RFC 3550 6.4.1", severity: .warning)
  public static let interest = WireInterest([.rtcp])

  private struct Count: Sendable {
    var stated: UInt32
    var seen: Int
  }
  private var last: [Int: Count] = [:]

  public init(_ context: AnalysisContext) {}

  public mutating func see(_ event: WireEvent, in world: borrowing WireWorld, log: inout FindingLog) {
    guard case .rtcp(let event) = event, event.fromSender, event.track >= 0 else { return }
    for case .senderReport(let report) in event.compound.packets {
      guard let stream = world.tracks[event.track].streams.last(where: { world.streams[$0].ssrc == report.ssrc })
      else { continue }
      // What was lost on the way was sent all the same.
      let count = Count(stated: report.packetCount, seen: world.streams[stream].sequence.expected)
      let before = last[stream]
      last[stream] = count
      guard let before else { continue }
      let stated = Int(count.stated &- before.stated)
      let seen = count.seen - before.seen
      // Packets and reports may overtake each other.
      guard abs(stated - seen) > max(5, seen / 20) else { continue }
      log.note(
        Self.info, "packets", subject: stream, at: event.place.evidence(ssrc: report.ssrc),
        message: "sender reports of \(Hex8(report.ssrc)) count \(stated) packets where \(seen) were sent")
    }
  }
}
