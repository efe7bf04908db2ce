/// The host's side of event numbering: in order, each once, gaps seen at once.
public struct EventSequence: Sendable {
  public enum Step: Hashable, Sendable {
    /// These are next, in order.
    case deliver([StageLinkEvent])
    /// Seen before (a replay or a repeat on the wire).
    case duplicate
    /// Something is missing: ask `events{since}`.
    case gap(since: Int64)
  }

  public private(set) var last: Int64 = 0
  /// Came after a gap; bounded, since a replay brings them again.
  private var waiting: [Int64: StageLinkEvent] = [:]
  private static let mostWaiting = 256

  /// Events up to `last` count as seen.
  public init(last: Int64 = 0) { self.last = last }

  public mutating func receive(_ event: StageLinkEvent) -> Step {
    if event.sequence <= last { return .duplicate }
    if event.sequence == last + 1 {
      last = event.sequence
      return .deliver([event] + drain())
    }
    if waiting.count < EventSequence.mostWaiting { waiting[event.sequence] = event }
    return .gap(since: last)
  }

  /// The device no longer has the events up to `sequence`: go on after them.
  public mutating func skip(to sequence: Int64) -> [StageLinkEvent] {
    guard sequence > last else { return [] }
    last = sequence
    waiting = waiting.filter { $0.key > last }
    return drain()
  }

  /// How many are missing before the first that waits; 0: none waits.
  public var missing: Int64 { waiting.keys.min().map { $0 - last - 1 } ?? 0 }

  private mutating func drain() -> [StageLinkEvent] {
    var out: [StageLinkEvent] = []
    while let event = waiting.removeValue(forKey: last + 1) {
      last += 1
      out.append(event)
    }
    return out
  }
}
