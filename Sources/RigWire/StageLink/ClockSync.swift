public import RigModel

/// Translates a device's monotonic time to the host's, from `ping` round trips.
///
/// A ping sent at `h0`, received by the device at `d1`, answered at `d2` and back at `h1` bounds the offset to
/// ((d1 − h0) + (d2 − h1)) / 2 ± RTT / 2. The sample with the least round trip counts; a second good one, far
/// enough away, gives the drift.
public struct ClockSync: Sendable {
  private struct Sample {
    var host: Int64
    var offset: Int64
    var roundTrip: Int64
  }

  private var anchor: Sample?
  private var latest: Sample?
  /// Two samples nearer than this say nothing of the drift.
  private static let driftBase: Int64 = 4_000_000_000

  public init() {}

  /// - Parameters:
  ///   - sent, received: host time.
  ///   - d1, d2: device time in microseconds.
  public mutating func add(sent: HostTime, d1: Int64, d2: Int64, received: HostTime) {
    let (h0, h1) = (sent.nanoseconds, received.nanoseconds)
    // Nonsense from the device must not overflow: two centuries of microseconds are enough.
    guard h1 >= h0, abs(d1) < 1 << 52, abs(d2) < 1 << 52, d2 >= d1 else { return }
    let roundTrip = max(0, (h1 - h0) - (d2 - d1) * 1000)
    let offset = ((d1 * 1000 - h0) + (d2 * 1000 - h1)) / 2
    // The device reads its clock in whole microseconds.
    let sample = Sample(host: h0 + (h1 - h0) / 2, offset: offset, roundTrip: roundTrip + 2000)
    guard let best = anchor else {
      anchor = sample
      return
    }
    if sample.host - best.host < ClockSync.driftBase {
      if sample.roundTrip < best.roundTrip { anchor = sample }
    } else if sample.roundTrip <= 4 * best.roundTrip + 1_000_000 {
      latest = sample
    }
  }

  public var isSynchronized: Bool { anchor != nil }

  /// Half the least round trip: the bound on the error of every translated time.
  public var error: Duration? { anchor.map { .nanoseconds(max($0.roundTrip, latest?.roundTrip ?? 0) / 2) } }

  /// Device seconds gained per host second, minus one; 0 until two samples lie far enough apart.
  public var drift: Double {
    guard let anchor, let latest, latest.host > anchor.host else { return 0 }
    return Double(latest.offset - anchor.offset) / Double(latest.host - anchor.host)
  }

  /// Host time at which the device's clock showed `deviceTime` microseconds.
  public func hostTime(deviceTime: Int64) -> HostTime? {
    guard let anchor, abs(deviceTime) < 1 << 52 else { return nil }
    let device = deviceTime * 1000
    // offset(h) = anchor.offset + drift × (h − anchor.host); one step is exact enough for drifts of parts per million.
    let near = device - anchor.offset
    let correction = drift * Double(near - anchor.host)
    guard correction.magnitude < 1e15 else { return nil }
    return HostTime(nanoseconds: near - Int64(correction))
  }
}
