public import RigModel
import RigWire

/// `timing.av-sync`
public struct AVSyncCheck: WireCheck {
  public static let info = CheckInfo(
    id: "timing.av-sync", rule: "By their sender reports, audio and video arrive at most half a second apart.",
    reference: "RFC 3550 6.4.1", severity: .warning)
  public static let interest = WireInterest([.rtcp])

  private static let limit = 0.5
  /// The latest report of each track.
  private var reports: [Int: RTCPPacket.SenderReport] = [:]

  public init(_ context: AnalysisContext) {}

  public mutating func see(_ event: WireEvent, in world: borrowing WireWorld, log: inout FindingLog) {
    guard case .rtcp(let event) = event, event.fromSender, event.track >= 0 else { return }
    for case .senderReport(let report) in event.compound.packets where !report.ntp.isZero {
      reports[event.track] = report
    }
  }

  public mutating func finish(in world: borrowing WireWorld, log: inout FindingLog) {
    for session in world.sessions.indices where world.sessions[session].tracks.count > 1 {
      let lags = world.sessions[session].tracks.compactMap { track -> (track: Int, lag: Double)? in
        guard let lag = lag(of: track, world) else { return nil }
        return (track, lag)
      }
      guard let least = lags.min(by: { $0.lag < $1.lag }), let most = lags.max(by: { $0.lag < $1.lag }),
        most.lag - least.lag > Self.limit, let stream = world.tracks[most.track].streams.last
      else { continue }
      log.note(
        Self.info, "apart", subject: session, at: world.streams[stream].last.evidence(ssrc: world.streams[stream].ssrc),
        message:
          "\(world.tracks[most.track].url) arrives \(Decimal3(most.lag - least.lag)) s after "
          + "\(world.tracks[least.track].url)"
      )
    }
  }

  /// Arrival less NTP time of the latest packet, seconds; clocks of sender and capture need not agree.
  private func lag(of track: Int, _ world: borrowing WireWorld) -> Double? {
    guard let report = reports[track],
      let index = world.tracks[track].streams.last(where: { world.streams[$0].ssrc == report.ssrc })
    else { return nil }
    let stream = world.streams[index]
    let ticks = Double(Int32(bitPattern: stream.highestTimestamp &- report.rtpTime))
    let sampled = Double(report.ntp.unixNanoseconds) / 1e9 + ticks / Double(max(1, stream.clockRate))
    return Double(stream.highestArrival) / 1e9 - sampled
  }
}
