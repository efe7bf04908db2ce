/// How far apart the media of a session arrive, measured against the first video of the session.
public struct MediaOffset: Hashable, Sendable {
  public var session: Int
  /// SSRC of the video and of the other media.
  public var video: UInt32
  public var other: UInt32
  /// By the sender reports of both, seconds: above 0, the other media arrives after the video that was sampled with it.
  /// `nil`: not measurable, because a sender report is missing.
  public var offset: Double?
  /// First packet of the video after the first of the other, seconds.
  public var startGap: Double

  static func all(in world: borrowing WireWorld) -> [MediaOffset] {
    var offsets: [MediaOffset] = []
    for (index, session) in world.sessions.enumerated() where session.tracks.count > 1 && offsets.count < 1024 {
      let streams = session.tracks.prefix(64).compactMap { world.tracks[$0].streams.last }.map { world.streams[$0] }
        .filter(\.isConfirmed)
      guard let video = streams.first(where: { $0.codec?.isVideo == true }) else { continue }
      for other in streams where other.ssrc != video.ssrc {
        offsets.append(
          MediaOffset(
            session: index, video: video.ssrc, other: other.ssrc,
            offset: video.lag.flatMap { base in other.lag.map { $0 - base } },
            startGap: Double(video.first.time &- other.first.time) / 1e9))
      }
    }
    return offsets
  }
}
