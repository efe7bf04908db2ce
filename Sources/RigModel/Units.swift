/// A bit rate in bits per second.
public struct BitRate: Hashable, Comparable, Sendable, CustomStringConvertible {
  public var bitsPerSecond: Int64
  public init(bitsPerSecond: Int64) { self.bitsPerSecond = bitsPerSecond }
  public static func < (a: BitRate, b: BitRate) -> Bool { a.bitsPerSecond < b.bitsPerSecond }
  public var description: String {
    if bitsPerSecond >= 1_000_000 { return "\(Decimal3(Double(bitsPerSecond) / 1e6)) Mbit/s" }
    if bitsPerSecond >= 1_000 { return "\(Decimal3(Double(bitsPerSecond) / 1e3)) kbit/s" }
    return "\(bitsPerSecond) bit/s"
  }
}

/// A share of a whole; 1.0 is 100 %.
public struct Percent: Hashable, Comparable, Sendable, CustomStringConvertible {
  public var fraction: Double
  public init(fraction: Double) { self.fraction = fraction }
  public static func < (a: Percent, b: Percent) -> Bool { a.fraction < b.fraction }
  public var description: String { "\(Decimal3(fraction * 100)) %" }
}
