public import RigModel

/// Which way a frame goes across the air.
public enum AirDirection: String, CaseIterable, Sendable {
  /// From the device to the station: media, replies.
  case down
  /// From the station to the device: requests, acknowledgements.
  case up
}

/// What the air does to the frames of one direction. All parts are independent of one another and may act together.
public struct Impairment: Hashable, Sendable {
  /// Share of frames that vanish.
  public var loss: Percent
  /// Added to the way of every frame.
  public var delay: Duration
  /// Half the width of the uniform spread around `delay`. Frames keep their order, as in a radio's queue: a frame whose
  /// draw would let it overtake waits for the one before it.
  public var jitter: Duration
  /// Share of frames that are held until one to three later ones of the same kind have overtaken them.
  public var reorder: Percent
  /// Share of frames that come twice.
  public var duplicate: Percent
  /// Share of IP packets in which one bit behind the Ethernet header is flipped. ARP has no checksum, and real radio
  /// frames do: it is left alone, so that nobody learns a wrong hardware address.
  public var corrupt: Percent
  /// Bits of Ethernet frames per second, without preamble and check sequence; `nil`: as fast as the machine.
  public var rate: BitRate?
  /// Bytes that may wait for their turn while `rate` is set; what comes on top is dropped.
  public var queue: Int
  /// Nothing passes, but both sides keep their carrier.
  public var isBlackedOut: Bool

  public static let none = Impairment()

  public init(
    loss: Percent = Percent(fraction: 0), delay: Duration = .zero, jitter: Duration = .zero,
    reorder: Percent = Percent(fraction: 0), duplicate: Percent = Percent(fraction: 0),
    corrupt: Percent = Percent(fraction: 0), rate: BitRate? = nil, queue: Int = 128 * 1024, isBlackedOut: Bool = false
  ) {
    self.loss = loss
    self.delay = delay
    self.jitter = jitter
    self.reorder = reorder
    self.duplicate = duplicate
    self.corrupt = corrupt
    self.rate = rate
    self.queue = queue
    self.isBlackedOut = isBlackedOut
  }
}

/// What happened to the frames of one direction: for asked against measured, and as the proof that a fault fired.
public struct AirCounters: Hashable, Sendable {
  /// Frames that entered the air.
  public var seen = 0
  /// Frames that left it, copies included.
  public var forwarded = 0
  public var forwardedBytes = 0
  public var lost = 0
  public var blackedOut = 0
  /// Frames that met a link without carrier.
  public var withoutCarrier = 0
  /// Frames that found the queue of the rate limit full.
  public var overflowed = 0
  public var duplicated = 0
  /// Frames that a later one of the same kind did overtake.
  public var reordered = 0
  public var corrupted = 0
  /// Frames that left later than they came, by design.
  public var delayed = 0
  /// Frames that this machine lost because the relay did not run in time: not an impairment that anybody asked for.
  public var overruns = 0
  /// Frames that the other side's interface refused.
  public var refused = 0
  /// Sum and maximum of how much later than planned frames left.
  public var lateness: Duration = .zero
  public var worstLateness: Duration = .zero

  public init() {}

  /// The counters since `earlier`; the worst lateness is that of the whole time.
  public func since(_ earlier: AirCounters) -> AirCounters {
    var delta = self
    for path: WritableKeyPath<AirCounters, Int> in [
      \.seen, \.forwarded, \.forwardedBytes, \.lost, \.blackedOut, \.withoutCarrier, \.overflowed, \.duplicated,
      \.reordered, \.corrupted, \.delayed, \.overruns, \.refused,
    ] { delta[keyPath: path] -= earlier[keyPath: path] }
    delta.lateness -= earlier.lateness
    return delta
  }
}
