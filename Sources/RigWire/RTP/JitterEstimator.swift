/// The interarrival jitter of RFC 3550 A.8.
public struct JitterEstimator: Sendable {
  /// Hz.
  public let clockRate: UInt32
  /// In units of the clock.
  public private(set) var jitter: Double = 0
  private var last: (timestamp: UInt32, arrival: Int64)?

  /// A clock rate of 0 counts as 1.
  public init(clockRate: UInt32) { self.clockRate = max(1, clockRate) }

  /// Takes a packet's timestamp and its arrival in nanoseconds on any steady clock.
  public mutating func receive(timestamp: UInt32, arrival: Int64) {
    defer { last = (timestamp, arrival) }
    guard let last else { return }
    let elapsed = Double(arrival &- last.arrival) * Double(clockRate) / 1e9
    let difference = elapsed - Double(Int32(bitPattern: timestamp &- last.timestamp))
    jitter += (difference.magnitude - jitter) / 16
  }

  public var seconds: Double { jitter / Double(clockRate) }
  /// As report blocks carry it.
  public var units: UInt32 { jitter < Double(UInt32.max) ? UInt32(jitter) : .max }
}
