/// What the receiver of a TCP stream said that it has: all bytes up to an offset (RFC 9293 3.4), and parts beyond it
/// (RFC 2018).
struct TCPReceipts: Sendable {
  /// Most parts that are kept; a receiver names four at a time.
  static let partLimit = 32

  /// Offset of the first byte that it has not said to have without a hole before it; -1 before it said anything.
  private(set) var end: Int64 = -1
  /// Beyond `end`, in order, apart from each other.
  private(set) var parts: [Range<Int64>] = []

  mutating func take(upTo offset: Int64) {
    guard offset > end else { return }
    end = offset
    while let first = parts.first, first.lowerBound < offset {
      parts.removeFirst()
      if first.upperBound > offset { parts.insert(offset..<first.upperBound, at: 0) }
    }
  }

  mutating func take(part: Range<Int64>) {
    guard part.upperBound > end, !part.isEmpty else { return }
    var low = max(part.lowerBound, end)
    var high = part.upperBound
    let first = parts.firstIndex { $0.upperBound >= low } ?? parts.count
    var last = first
    while last < parts.count, parts[last].lowerBound <= high {
      low = min(low, parts[last].lowerBound)
      high = max(high, parts[last].upperBound)
      last += 1
    }
    guard last > first || parts.count < Self.partLimit else { return }
    parts.replaceSubrange(first..<last, with: [low..<high])
  }

  /// Where what it has without a hole from `start` on ends; `start` where it lacks that byte.
  func run(from start: Int64) -> Int64 {
    var at = max(start, end)
    for part in parts where part.lowerBound <= at { at = max(at, part.upperBound) }
    return at
  }

  /// How many bytes of `range` it has.
  func count(in range: Range<Int64>) -> Int64 {
    let whole = max(0, min(end, range.upperBound) - range.lowerBound)
    return parts.reduce(whole) { $0 + Int64($1.clamped(to: range).count) }
  }

  /// The stream goes on elsewhere: what was said beyond `offset` means nothing any more.
  mutating func cut(at offset: Int64) {
    end = min(end, offset)
    parts = []
  }
}
