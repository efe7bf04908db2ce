public import RigModel

/// Translates a device's monotonic time to the host's, from `ping` round trips.
///
/// A ping sent at `h0`, received by the device at `d1`, answered at `d2` and back at `h1` bounds the offset to
/// ((d1 − h0) + (d2 − h1)) / 2 ± RTT / 2, however uneven the two ways are. The sample with the least round trip is the
/// anchor; a later good one gives the drift, as soon as the two bounds leave no room for more than `worstDrift`.
public struct ClockSync: Sendable {
  private struct Sample {
    var host: Int64
    var offset: Int64
    /// Half the round trip.
    var bound: Int64

    /// Whether one clock can have given both.
    func agrees(with other: Sample) -> Bool {
      let apart = Double(offset) - Double(other.offset)
      let between = Double(host) - Double(other.host)
      return apart.magnitude <= Double(bound) + Double(other.bound) + ClockSync.saneDrift * between.magnitude
    }
  }

  private var anchor: Sample?
  private var latest: Sample?
  /// Contradicts what is known; counts once a second one agrees with it, since a clock may be set.
  private var suspect: Sample?
  /// Samples nearer than this compete for the anchor.
  private static let anchorWindow: Int64 = 4_000_000_000
  /// What a crystal may be off while nothing better is known, and what no clock is.
  private static let worstDrift = 100e-6
  private static let saneDrift = 1000e-6
  /// The device reads its clock in whole microseconds.
  private static let resolution: Int64 = 1000
  /// A century and more of microseconds, and decades of uptime: what is beyond is nonsense.
  private static let mostDevice: UInt64 = 1 << 52
  private static let mostHost: UInt64 = 1 << 61

  public init() {}

  /// - Parameters:
  ///   - sent, received: host time.
  ///   - d1, d2: device time in microseconds.
  public mutating func add(sent: HostTime, d1: Int64, d2: Int64, received: HostTime) {
    let (h0, h1) = (sent.nanoseconds, received.nanoseconds)
    guard h1 >= h0, max(h0.magnitude, h1.magnitude) < ClockSync.mostHost, d2 >= d1,
      max(d1.magnitude, d2.magnitude) < ClockSync.mostDevice
    else { return }
    let away = h1 - h0
    let stayed = (d2 - d1) * 1000
    // It cannot have been in the device for longer than it was away.
    guard stayed <= away + ClockSync.resolution + away / 1000 else { return }
    let roundTrip = max(0, away - stayed) + 2 * ClockSync.resolution
    let offset = (d1 * 1000 - h0) / 2 + (d2 * 1000 - h1) / 2
    take(Sample(host: h0 + away / 2, offset: offset, bound: roundTrip / 2))
  }

  private mutating func take(_ sample: Sample) {
    guard let best = anchor else {
      anchor = sample
      return
    }
    guard sample.agrees(with: latest ?? best) else {
      if let suspect, sample.agrees(with: suspect) {
        self = ClockSync()
        anchor = sample
      } else {
        suspect = sample
      }
      return
    }
    suspect = nil
    if sample.host - best.host < ClockSync.anchorWindow {
      if sample.bound < best.bound { anchor = sample }
    } else if sample.bound < best.bound / 2 {
      // The first samples were poor: what they say of the drift is worth less than this one.
      anchor = sample
      latest = nil
    } else if sample.bound <= 4 * best.bound + 500_000 {
      latest = sample
    }
  }

  public var isSynchronized: Bool { anchor != nil }

  /// Half the least round trip: the bound on the error at the moment of the ping.
  public var error: Duration? {
    anchor.map { .nanoseconds(max($0.bound, line == nil ? 0 : latest?.bound ?? 0)) }
  }

  /// Device seconds gained per host second, minus one; 0 until two samples say more of it than `worstDrift`.
  public var drift: Double { line?.drift ?? 0 }

  /// The line through the two samples, and how far its slope may be off.
  private var line: (drift: Double, error: Double, span: Double)? {
    guard let anchor, let latest, latest.host > anchor.host else { return nil }
    let span = Double(latest.host - anchor.host)
    let error = Double(anchor.bound + latest.bound) / span
    guard error <= ClockSync.worstDrift else { return nil }
    return ((Double(latest.offset) - Double(anchor.offset)) / span, error, span)
  }

  /// Host time at which the device's clock showed `deviceTime` microseconds.
  public func hostTime(deviceTime: Int64) -> HostTime? {
    guard let anchor, deviceTime.magnitude < ClockSync.mostDevice else { return nil }
    let (near, overflow) = (deviceTime * 1000).subtractingReportingOverflow(anchor.offset)
    guard !overflow, near.magnitude < ClockSync.mostHost else { return nil }
    // offset(h) = anchor.offset + drift × (h − anchor.host); one step is exact enough for drifts of parts per million.
    let correction = drift * (Double(near) - Double(anchor.host))
    guard correction.magnitude < 1e15 else { return nil }
    return HostTime(nanoseconds: near - Int64(correction))
  }

  /// How far `hostTime(deviceTime:)` may be off: half the round trip, and what the drift may add since the ping.
  public func error(deviceTime: Int64) -> Duration? {
    guard let anchor, let host = hostTime(deviceTime: deviceTime) else { return nil }
    let since = Double(host.nanoseconds) - Double(anchor.host)
    var bound = Double(anchor.bound)
    if let line, let latest {
      switch since {
      case ..<0: bound += line.error * -since
      case line.span...: bound = Double(latest.bound) + line.error * (since - line.span)
      default: bound = max(bound, Double(latest.bound))
      }
    } else {
      bound += ClockSync.worstDrift * since.magnitude
    }
    return .nanoseconds(Int64(min(bound, 1e18)) + ClockSync.resolution)
  }
}
