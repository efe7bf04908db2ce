public import RigModel
import RigWire

/// `rtcp.sr.mapping`
public struct SenderReportMappingCheck: WireCheck {
  public static let info = CheckInfo(
    id: "rtcp.sr.mapping", rule: "NTP time and RTP time of sender reports advance alike.",
    reference: "RFC 3550 6.4.1", severity: .error)
  public static let interest = WireInterest([.rtcp])

  private struct Source: Hashable, Sendable {
    var track: Int
    var ssrc: UInt32
  }
  private var last: [Source: RTCPPacket.SenderReport] = [:]
  /// Nanoseconds of disagreement that are let pass, and the share of the time between two reports.
  private static let tolerance = 50e6
  private static let drift = 0.001

  public init(_ context: AnalysisContext) {}

  public mutating func see(_ event: WireEvent, in world: borrowing WireWorld, log: inout FindingLog) {
    guard case .rtcp(let event) = event, event.fromSender, event.track >= 0 else { return }
    for case .senderReport(let report) in event.compound.packets {
      let source = Source(track: event.track, ssrc: report.ssrc)
      let before = last[source]
      if last.count >= 8192 { last.removeAll() }
      // 0: the sender has no wall clock (6.4.1).
      guard !report.ntp.isZero else { continue }
      last[source] = report
      guard let before else { continue }
      let wall = Double(report.ntp.nanoseconds(since: before.ntp))
      // Beyond half the range of RTP time (6.6 h at 90 kHz) the two cannot be compared.
      let clock = Double(max(1, world.tracks[event.track].clockRate))
      guard wall / 1e9 * clock < 2e9 else { continue }
      let media = Double(Int32(bitPattern: report.rtpTime &- before.rtpTime)) / clock * 1e9
      let apart = wall - media
      guard abs(apart) > max(Self.tolerance, abs(wall) * Self.drift) else { continue }
      log.note(
        Self.info, "moved", subject: event.track, at: event.place.evidence(ssrc: report.ssrc),
        message:
          "between two sender reports NTP time advanced by \(Self.text(wall)) and RTP time by \(Self.text(media))"
      )
    }
  }

  private static func text(_ nanoseconds: Double) -> String {
    Duration.nanoseconds(Int64(max(-9e18, min(9e18, nanoseconds)))).text
  }
}
