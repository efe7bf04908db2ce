/// Holes in sequence numbers: how many, and the longest. Late packets shorten the hole that they fill.
public struct LossBursts: Sendable, Hashable {
  private struct Hole: Sendable, Hashable {
    /// The number after the hole.
    var end: UInt16
    /// The first missing number.
    var start: UInt16
    var missing: Int
  }
  /// Holes that late packets may still fill, oldest first.
  private var open: [Hole] = []
  private var settled = 0
  private var longestSettled = 0
  private static let openLimit = 64
  /// A hole is final when numbers are so far beyond it.
  private static let reach: Int16 = 1024

  /// Runs of missing numbers.
  public var count: Int { settled + open.count }
  /// Numbers missing in the longest run; 0 without loss.
  public var longest: Int { max(longestSettled, open.map(\.missing).max() ?? 0) }

  mutating func gap(missing: Int, before sequence: UInt16) {
    settle(before: sequence)
    if open.count >= Self.openLimit { close(open.removeFirst()) }
    open.append(Hole(end: sequence, start: sequence &- UInt16(truncatingIfNeeded: missing), missing: missing))
  }

  mutating func fill(_ sequence: UInt16) {
    guard let index = open.firstIndex(where: { sequence &- $0.start < $0.end &- $0.start }) else { return }
    open[index].missing -= 1
    if open[index].missing <= 0 { open.remove(at: index) }
  }

  /// Numbering went on elsewhere: nothing fills the holes any more.
  mutating func restart() {
    for hole in open { close(hole) }
    open = []
  }

  private mutating func settle(before sequence: UInt16) {
    while let first = open.first, Int16(bitPattern: sequence &- first.end) > Self.reach || open.count > Self.openLimit {
      close(first)
      open.removeFirst()
    }
  }

  private mutating func close(_ hole: Hole) {
    settled += 1
    longestSettled = max(longestSettled, hole.missing)
  }
}
