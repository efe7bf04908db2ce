/// A 64-bit NTP timestamp (RFC 3550 4): seconds since 1900 and a binary fraction of a second.
public struct NTPTime: Hashable, Comparable, Sendable {
  public var seconds: UInt32
  /// In units of 2⁻³² s.
  public var fraction: UInt32

  public init(seconds: UInt32, fraction: UInt32) {
    self.seconds = seconds
    self.fraction = fraction
  }

  public init(raw: UInt64) {
    self.init(seconds: UInt32(truncatingIfNeeded: raw >> 32), fraction: UInt32(truncatingIfNeeded: raw))
  }

  /// Nanoseconds since 1970; wraps as NTP does.
  public init(unixNanoseconds: Int64) {
    let whole = unixNanoseconds.quotientFloored(by: 1_000_000_000)
    let rest = UInt64(bitPattern: unixNanoseconds &- whole &* 1_000_000_000)
    self.init(
      seconds: UInt32(truncatingIfNeeded: whole &+ Self.unixEpoch),
      fraction: UInt32(truncatingIfNeeded: ((rest << 32) &+ 500_000_000) / 1_000_000_000))
  }

  private static let unixEpoch: Int64 = 2_208_988_800

  public var raw: UInt64 { UInt64(seconds) << 32 | UInt64(fraction) }
  /// The middle 32 bits: LSR and DLSR of report blocks, in units of 2⁻¹⁶ s.
  public var middle: UInt32 { UInt32(truncatingIfNeeded: raw >> 16) }
  public var isZero: Bool { raw == 0 }

  /// Nanoseconds since 1970, for times from 1970 to 2036.
  public var unixNanoseconds: Int64 {
    (Int64(seconds) - Self.unixEpoch) * 1_000_000_000 + Int64((UInt64(fraction) * 1_000_000_000) >> 32)
  }

  /// `self - other` in nanoseconds, right across the wrap of 2036.
  public func nanoseconds(since other: NTPTime) -> Int64 {
    let difference = Int64(bitPattern: raw &- other.raw)
    let seconds = difference >> 32
    return seconds * 1_000_000_000 + Int64((UInt64(UInt32(truncatingIfNeeded: difference)) * 1_000_000_000) >> 32)
  }

  public static func < (a: NTPTime, b: NTPTime) -> Bool { a.raw < b.raw }
}

extension Int64 {
  fileprivate func quotientFloored(by divisor: Int64) -> Int64 {
    let quotient = self / divisor
    return self % divisor < 0 ? quotient - 1 : quotient
  }
}
