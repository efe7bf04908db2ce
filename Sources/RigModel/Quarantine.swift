/// A case that is known to fail: it still runs, and does not count.
public struct Quarantine: Hashable, Sendable, CustomStringConvertible {
  /// `FW-123`
  public var bug: String
  public var owner: String
  /// The last day on which it holds.
  public var until: CalendarDate

  public init(bug: String, owner: String, until: CalendarDate) {
    self.bug = bug
    self.owner = owner
    self.until = until
  }

  public func hasExpired(on date: CalendarDate) -> Bool { until < date }

  /// `FW-123 (team-fw, until 2027-01-31)`
  public var description: String { "\(bug) (\(owner), until \(until))" }
}
