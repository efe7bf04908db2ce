import RigLoop
import RigModel

/// An RTSP session: its tracks, its state (RFC 2326 appendix A) and how host time maps to media time.
///
/// Confined to the server's actor.
final class RTSPSession {
  let id: String
  /// Rises with each session, for a stable order.
  let number: Int
  let clip: PreparedClip
  /// Seconds, as announced.
  let timeout: Int
  let expiry: Duration
  /// In SDP order.
  var tracks: [SessionTrack] = []
  var isPlaying = false
  var lastActivity: HostTime
  /// The connection that set it up.
  var creator: Int?
  /// The connection that carries its interleaved media, if any.
  var connection: Int?
  var random: SplitMix64

  /// The host time at which RTP time stamps equal `timestampBase`: the first PLAY.
  var origin: HostTime?
  /// The media time `segmentMedia` (nanoseconds) is due at host time `segmentHost`.
  var segmentHost: HostTime = .zero
  var segmentMedia: Int64 = 0
  /// When the latest PLAY took effect.
  var played: HostTime = .zero
  var nextReport: HostTime = .zero
  /// Counts PLAY and PAUSE: a pacing task that belongs to an older one ends.
  var generation = 0
  var pacing: Task<Void, any Error>?
  var expiring: Task<Void, any Error>?

  var faultsActed: Set<String> = []
  /// Media ended before the session did.
  var mediaEnded = false
  /// TEARDOWN was answered and the media goes on (a fault).
  var ignoresTeardown = false

  // Statistics
  var packets = 0
  var payloadBytes = 0
  var unitsSkipped = 0
  var unitsSent = 0

  init(
    id: String, number: Int, clip: PreparedClip, timeout: Int, expiry: Duration, now: HostTime, random: SplitMix64
  ) {
    self.id = id
    self.number = number
    self.clip = clip
    self.timeout = timeout
    self.expiry = expiry
    self.lastActivity = now
    self.random = random
  }

  var transport: RTSPTransportKind? {
    tracks.first.map { if case .udp = $0.route { .udp } else { .interleaved } }
  }

  /// The track whose next unit is due first, and when.
  var next: (track: SessionTrack, due: HostTime)? {
    var best: (track: SessionTrack, due: HostTime)?
    for track in tracks {
      let due = segmentHost + .nanoseconds(track.cursor.due - segmentMedia)
      if let found = best, found.due <= due { continue }
      best = (track, due)
    }
    return best
  }

  /// The RTP time stamp of the unit that `track` sends next.
  func timestamp(_ track: SessionTrack) -> UInt32 {
    let clock = track.media.clip
    let shift = clock.ticks(nanoseconds: (segmentHost - (origin ?? segmentHost)).nanoseconds)
    let ticks = shift + track.cursor.presentation - clock.ticks(nanoseconds: segmentMedia)
    return track.timestampBase &+ UInt32(truncatingIfNeeded: ticks)
  }

  /// The RTP time stamp that stands for the moment `time`.
  func timestamp(_ track: SessionTrack, at time: HostTime) -> UInt32 {
    let ticks = track.media.clip.ticks(nanoseconds: (time - (origin ?? time)).nanoseconds)
    return track.timestampBase &+ UInt32(truncatingIfNeeded: ticks)
  }

  /// Starts, or goes on at the next key frame of the video: media time stands still while paused, RTP time does not.
  func begin(at now: HostTime, reportInterval: Duration) {
    let resumes = origin != nil
    if origin == nil { origin = now }
    segmentHost = now
    played = now
    if resumes {
      let lead = tracks.first { $0.media.clip.isVideo } ?? tracks.first
      if let lead {
        lead.cursor = ClipCursor(lead.media.clip, from: lead.cursor.decode)
        segmentMedia = lead.cursor.due
        for track in tracks where track !== lead {
          track.cursor = ClipCursor(track.media.clip, from: track.media.clip.ticks(nanoseconds: segmentMedia))
        }
      }
    } else if let first = tracks.map(\.cursor.due).min() {
      segmentMedia = first
    }
    for track in tracks { track.needsKey = track.media.clip.isVideo }
    // The first reports follow the first packets; these are the periodic ones.
    nextReport = now + reportInterval
  }

  func close() {
    pacing?.cancel()
    expiring?.cancel()
    for track in tracks { track.close() }
  }
}
