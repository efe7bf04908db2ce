import RigModel

/// Random choices from a seed: the same seed gives the same choices on every computer.
struct Dice: RandomNumberGenerator {
  private var numbers: SplitMix64

  init(seed: UInt64) { numbers = SplitMix64(seed: seed) }

  mutating func next() -> UInt64 { numbers.next() }

  /// A number from the range. Its slight bias is of no concern, and it is many times faster than the library's.
  mutating func roll(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + Int(next() % UInt64(range.upperBound - range.lowerBound + 1))
  }

  /// True once in `n` times.
  mutating func once(in n: Int) -> Bool { roll(1...n) == 1 }

  mutating func pick<T>(_ list: [T]) -> T { list[roll(0...(list.count - 1))] }
}
