/// Steele, Lea and Flood's generator: the same numbers from the same seed, on every machine. Nothing secret is drawn
/// from it.
public struct SplitMix64: RandomNumberGenerator, Sendable {
  @usableFromInline static let step: UInt64 = 0x9E37_79B9_7F4A_7C15
  @usableFromInline var state: UInt64

  @inlinable public init(seed: UInt64) { state = seed }

  @inlinable public mutating func next() -> UInt64 {
    let number = SplitMix64.mix(state)
    state &+= SplitMix64.step
    return number
  }

  /// A generator of its own for a part of the work, so that one part's draws do not shift another's.
  public mutating func split() -> SplitMix64 { SplitMix64(seed: next()) }

  /// The first number from the seed `x`: neighbouring seeds share nothing that shows.
  @inlinable public static func mix(_ x: UInt64) -> UInt64 {
    var z = x &+ step
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// The `n`-th number of the stream that `seed` begins, from zero: it needs no state.
  public static func number(_ n: Int, from seed: UInt64) -> UInt64 {
    mix(seed &+ UInt64(truncatingIfNeeded: n) &* step)
  }
}
