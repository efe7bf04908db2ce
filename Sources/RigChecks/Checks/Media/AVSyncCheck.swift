public import RigModel

/// `timing.av-sync`
public struct AVSyncCheck: WireCheck {
  public static let info = CheckInfo(
    id: "timing.av-sync", rule: "By their sender reports, audio and video arrive at most half a second apart.",
    reference: "RFC 3550 6.4.1", severity: .warning)
  public static let interest = WireInterest()

  private static let limit = 0.5

  public init(_ context: AnalysisContext) {}

  public mutating func finish(in world: borrowing WireWorld, log: inout FindingLog) {
    for session in world.sessions.indices where world.sessions[session].tracks.count > 1 {
      let lags = world.sessions[session].tracks.compactMap { track -> (track: Int, lag: Double)? in
        guard let stream = world.tracks[track].streams.last, let lag = world.streams[stream].lag else { return nil }
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
}
