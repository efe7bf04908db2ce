public import RigModel

/// How the times of a phone's capture lie on the harness's clock.
public struct PhoneClock: Hashable, Sendable {
  /// What the alignment rests on.
  public enum Basis: String, Hashable, Sendable {
    /// The agent said what the phone's clock showed.
    case agent = "the agent's word on the phone's clock, and the RTSP requests"
    /// The phone's clock and this machine's agree.
    case machine = "the clock of this machine, and the RTSP requests"
    /// The last requests in the capture that fit the session.
    case requests = "the RTSP requests alone"
  }

  /// The phone's clock minus the harness's, ns: between these two.
  public let offset: ClosedRange<Int64>
  public let basis: Basis
  /// The connections of this session.
  public let openings: [RTSPOpening]
  /// Of the capture, by the phone's clock: what belongs to the case.
  public let window: ClosedRange<Int64>
  /// The phone's clock minus this machine's wall clock, ns: for people.
  public let deviation: Int64

  /// Players open what they are given at once.
  private static let promptness: Int64 = 250_000_000

  /// The likeliest offset: the middle of the range, or where the player asked soon after the address was received.
  public var best: Int64 { PhoneClock.best(offset) }

  static func best(_ offset: ClosedRange<Int64>) -> Int64 {
    offset.upperBound &- min((offset.upperBound &- offset.lowerBound) / 2, promptness)
  }

  /// How far the offset may be from the likeliest.
  public var uncertainty: Duration { .nanoseconds(max(offset.upperBound &- best, best &- offset.lowerBound)) }

  /// A time of the capture as this machine's wall clock would have shown it: so it stands in reports, ns since 1970.
  public func placed(_ time: Int64) -> Int64 { time &- deviation }

  /// The moment on the harness's clock.
  /// - Parameters:
  ///   - time: as `placed` gives it.
  ///   - shift: another offset inside the range; `nil`: the likeliest.
  public func host(placed time: Int64, shift: Int64? = nil) -> HostTime {
    HostTime(nanoseconds: time &+ deviation &- (shift ?? best))
  }

  /// `3 h 0 min 2 s ahead of this machine, known to ±12 ms, by …`
  public var text: String {
    let size = Duration.nanoseconds(Int64(clamping: deviation.magnitude))
    let how =
      size < .seconds(1)
      ? "within 1 s of this machine's" : "\(size.text) \(deviation > 0 ? "ahead of" : "behind") this machine's"
    return "\(how), known to ±\(uncertainty.text), by \(basis.rawValue)"
  }
}

/// What the session itself says of its times, on the harness's clock.
public struct PhoneSession: Hashable, Sendable {
  /// The agent told what the wall clock of its phone showed at an event.
  public struct ClockWord: Hashable, Sendable {
    public var host: HostTime
    public var error: Duration
    /// Nanoseconds since 1970.
    public var wall: Int64
    public init(host: HostTime, error: Duration, wall: Int64) {
      self.host = host
      self.error = error
      self.wall = wall
    }
  }

  public var address: String
  /// When the address was received on the phone: no player asked for it before.
  public var received: HostTime
  public var receivedError: Duration
  /// When the stop was asked for, or the session ended by itself: players began before, and media was due until then.
  public var ended: HostTime
  /// When the agent said that the session was finished: the device sends no media from then on; `nil`: it never said so.
  public var finished: HostTime?
  /// When the capture was fetched: it holds nothing later.
  public var fetched: HostTime
  public var clockWords: [ClockWord]
  /// This machine's wall clock minus the harness's clock, ns.
  public var wallOffset: Int64
  /// By the phone's clock: what the capture held up to here was there before the session; `nil`: nothing was.
  public var seenBefore: Int64?

  public init(
    address: String, received: HostTime, receivedError: Duration, ended: HostTime,
    finished: HostTime? = nil, fetched: HostTime = .zero, clockWords: [ClockWord] = [], wallOffset: Int64 = 0,
    seenBefore: Int64? = nil
  ) {
    self.address = address
    self.received = received
    self.receivedError = receivedError
    self.ended = ended
    self.finished = finished
    self.fetched = fetched
    self.clockWords = clockWords
    self.wallOffset = wallOffset
    self.seenBefore = seenBefore
  }
}
