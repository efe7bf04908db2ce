/// What a channel has seen of its transfers.
public struct USBCounts: Hashable, Sendable {
  public var bytesIn: UInt64 = 0
  public var bytesOut: UInt64 = 0
  /// Bytes that an earlier owner left in the device, dropped after opening.
  public var stale: UInt64 = 0
  public var zeroLengthIn = 0
  public var timeoutsIn = 0
  public var timeoutsOut = 0
  /// Bytes that came by transfers that timed out.
  public var bytesByTimeouts: UInt64 = 0
  public var stalls = 0
  public var failures = 0
  /// IN transfers in flight at a time.
  public var mostInFlight = 0
  /// Bytes received and not yet read, at most.
  public var mostUnread = 0
  public init() {}
}
