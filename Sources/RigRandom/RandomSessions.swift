public import RigFlow
public import RigModel

/// Random sessions from one seed, each judged by every rule, until one breaks a rule.
public struct RandomSessions: Sendable {
  public struct Break: Hashable, Sendable {
    /// Which sequence of the seed it was.
    public var number: Int
    public var violation: Violation
    public var found: SessionSequence
    /// The smallest that breaks the same rule, and how it breaks it.
    public var smallest: SessionSequence
    public var how: String
  }

  public let seed: UInt64
  private let generator: SequenceGenerator
  private var next = 0
  public private(set) var coverage = SessionCoverage()

  public init(seed: UInt64) {
    self.seed = seed
    generator = SequenceGenerator(seed: seed)
  }

  /// Runs one more session.
  /// - Returns: the rule that it breaks, with its smallest sequence; `nil`: all rules hold.
  public mutating func runOne(
    _ make: (Flow, Session.Setup) -> some SessionMachine = { Session(flow: $0, setup: $1) }
  ) -> Break? {
    let number = next
    next += 1
    let sequence = generator.sequence(number)
    let trace = SessionTrace(sequence, on: make)
    coverage.count(trace)
    guard let violation = trace.violation(make) else { return nil }
    // The closure is done with before this returns.
    return withoutActuallyEscaping(make) { make in
      var shrinker = Shrinker(rule: violation.rule) { SessionTrace($0, on: make).violation(make)?.rule }
      let smallest = shrinker.shrink(sequence)
      let how = SessionTrace(smallest, on: make).violation(make)?.how ?? violation.how
      return Break(number: number, violation: violation, found: sequence, smallest: smallest, how: how)
    }
  }
}
