/// Random choices from a seed (SplitMix64): the same seed gives the same choices on every computer.
struct Dice: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// A number from the range. Its slight bias is of no concern, and it is many times faster than the library's.
  mutating func roll(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + Int(next() % UInt64(range.upperBound - range.lowerBound + 1))
  }

  /// True once in `n` times.
  mutating func once(in n: Int) -> Bool { roll(1...n) == 1 }

  mutating func pick<T>(_ list: [T]) -> T { list[roll(0...(list.count - 1))] }
}
