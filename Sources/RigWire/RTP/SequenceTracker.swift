/// Follows the sequence numbers of one RTP source (after RFC 3550 A.1) and tells loss, duplicates, late packets,
/// wraps and restarts apart.
///
/// Loss is what is expected minus what came, each number counted once: a duplicate never makes up for a lost packet.
/// A window over the last 1,024 numbers tells a duplicate from a late packet; memory is constant.
public struct SequenceTracker: Sendable {
  public enum Outcome: Hashable, Sendable {
    case first
    case inOrder
    /// `missing` numbers were passed over (they may still come late); `acrossWrap` where 65535→0 lay between.
    case gap(missing: Int, acrossWrap: Bool)
    /// A number passed over before, `behind` the highest.
    case late(behind: Int)
    case duplicate
    /// A jump that the next packet confirms or refutes; not counted until then.
    case suspect(jump: Int)
    /// The jump is confirmed (or 16 numbers in a row repeat older ones): the source numbers anew from `first`.
    case restart(first: UInt16)
  }

  /// Larger steps forward are a jump, not loss (RFC 3550 A.1 MAX_DROPOUT).
  public static let maximumDropout = 3000
  /// Numbers further behind are a jump, not late.
  public static let window = 1024
  /// Numbers further before the first of a run do not belong to it (RFC 3550 A.1 MAX_MISORDER).
  private static let maximumEarliness: Int64 = 100
  private static let repeatsForRestart = 16

  /// Packets counted, each number once.
  public private(set) var received = 0
  public private(set) var duplicates = 0
  public private(set) var late = 0
  public private(set) var restarts = 0
  /// How often the number went from 65535 to 0 (or past it).
  public private(set) var wraps = 0
  /// Packets of jumps that nothing confirmed.
  public private(set) var strays = 0
  /// Lost in runs of numbers that a restart ended.
  private var lostBefore = 0
  private var receivedInRun = 0

  private var isStarted = false
  private var base: Int64 = 0
  private var highest: Int64 = 0
  private var seen = [UInt64](repeating: 0, count: window / 64)
  private var expectedAfterJump: UInt16?
  private var repeats = 0
  private var lastRepeat: UInt16 = 0

  public init() {}

  /// Numbers passed over and not received so far.
  public var lost: Int { lostBefore + (isStarted ? Int(highest - base) + 1 - receivedInRun : 0) }
  /// Numbers that should have come.
  public var expected: Int { received + lost }
  /// Cycles in the upper 16 bits, as report blocks want it (6.4.1).
  public var extendedHighest: UInt32 { UInt32(truncatingIfNeeded: highest) }
  public var highestSequence: UInt16 { UInt16(truncatingIfNeeded: highest) }

  public mutating func receive(_ sequence: UInt16) -> Outcome {
    guard isStarted else {
      begin(at: sequence)
      return .first
    }
    // The signed distance to the highest number, from -32768 to 32767.
    let step = Int(Int16(bitPattern: sequence &- highestSequence))
    if step == 1 {
      settle()
      advance(1)
      return .inOrder
    }
    if step > 1, step <= Self.maximumDropout {
      settle()
      let crosses = Int(highestSequence) + step > 65535
      advance(step)
      return .gap(missing: step - 1, acrossWrap: crosses)
    }
    if step <= 0, step > -Self.window, highest + Int64(step) >= base - Self.maximumEarliness {
      return receiveOld(sequence, behind: -step)
    }
    if expectedAfterJump == sequence {
      restart(at: sequence &- 1)
      strays -= 1
      advance(1)
      return .restart(first: sequence &- 1)
    }
    repeats = 0
    strays += 1
    expectedAfterJump = sequence &+ 1
    return .suspect(jump: step)
  }

  private mutating func receiveOld(_ sequence: UInt16, behind: Int) -> Outcome {
    expectedAfterJump = nil
    let number = highest - Int64(behind)
    if isSeen(number) {
      duplicates += 1
      repeats = repeats > 0 && sequence == lastRepeat &+ 1 ? repeats + 1 : 1
      lastRepeat = sequence
      guard repeats == Self.repeatsForRestart else { return .duplicate }
      let first = sequence &- UInt16(Self.repeatsForRestart - 1)
      duplicates -= Self.repeatsForRestart
      restart(at: first)
      for _ in 1..<Self.repeatsForRestart { advance(1) }
      return .restart(first: first)
    }
    // Late or, before the first number, early: the stream began with a reordering.
    repeats = 0
    base = min(base, number)
    mark(number)
    count()
    late += 1
    return .late(behind: behind)
  }

  private mutating func begin(at sequence: UInt16) {
    isStarted = true
    // One cycle up, so that numbers before the first stay positive.
    base = Int64(sequence) + 65536
    highest = base
    for index in seen.indices { seen[index] = 0 }
    receivedInRun = 0
    mark(highest)
    count()
  }

  private mutating func restart(at sequence: UInt16) {
    lostBefore = lost
    settle()
    restarts += 1
    begin(at: sequence)
  }

  private mutating func settle() {
    expectedAfterJump = nil
    repeats = 0
  }

  private mutating func count() {
    received += 1
    receivedInRun += 1
  }

  private mutating func advance(_ step: Int) {
    let next = highest + Int64(step)
    if step > 1 {
      if step >= Self.window {
        for index in seen.indices { seen[index] = 0 }
      } else {
        for number in (highest + 1)..<next { clear(number) }
      }
    }
    if next >> 16 != highest >> 16 { wraps += 1 }
    highest = next
    mark(next)
    count()
  }

  private func place(_ number: Int64) -> (word: Int, bit: UInt64) {
    let slot = Int(truncatingIfNeeded: number) & (Self.window - 1)
    return (slot >> 6, 1 << UInt64(slot & 63))
  }
  private func isSeen(_ number: Int64) -> Bool {
    let (word, bit) = place(number)
    return seen[word] & bit != 0
  }
  private mutating func mark(_ number: Int64) {
    let (word, bit) = place(number)
    seen[word] |= bit
  }
  private mutating func clear(_ number: Int64) {
    let (word, bit) = place(number)
    seen[word] &= ~bit
  }
}
