import RigFlow
public import RigModel

/// Something that happens to a session, without its time.
public enum Happening: Hashable, Sendable {
  case begin
  case preflightPassed
  case preflightFailed
  case startAccepted
  case startRefused
  case event(RandomEvent)
  case fact(FactKind)
  case controlLost
  case controlBack
  case rebooted
  case abort
  /// The timer fires although nothing may be due.
  case tick
}

/// A device event, without its time.
public struct RandomEvent: Hashable, Sendable {
  /// Whose event it is, as far as the event says.
  public enum Run: String, Hashable, Sendable { case own, other, none }

  public var name: String
  public var run: Run
  public var data: JSONValue
  /// How long before its receipt it happened, by the device's clock, in milliseconds; `nil`: the clock is not known.
  public var lag: Int?
  /// The error of that clock, in milliseconds.
  public var error: Int

  public init(_ name: String, _ data: JSONValue = [:], run: Run = .own, lag: Int? = nil, error: Int = 0) {
    self.name = name
    self.run = run
    self.data = data
    self.lag = lag
    self.error = error
  }

  public var isClaim: Bool { name.hasPrefix("x.") }
  /// The device speaks of this run, or of none.
  var isOwn: Bool { run != .other && !isClaim }
}

/// A session's whole life as a list: what happens, and how long after what happened before.
public struct SessionSequence: Hashable, Sendable {
  public struct Step: Hashable, Sendable {
    /// Milliseconds since the step before; the session begins at 0.
    public var after: Int
    public var what: Happening
    public init(after: Int, _ what: Happening) {
      self.after = after
      self.what = what
    }
  }

  public static let run = "run-1"
  static let otherRun = "run-0"

  /// Milliseconds.
  public var playFor: Int
  public var steps: [Step]
  /// Nothing deviates: such a session must succeed.
  public var isHealthy: Bool

  public init(playFor: Int, steps: [Step], isHealthy: Bool = false) {
    self.playFor = playFor
    self.steps = steps
    self.isHealthy = isHealthy
  }

  var setup: Session.Setup { Session.Setup(run: SessionSequence.run, playFor: .milliseconds(playFor)) }

  /// The same without some steps; the others keep their times.
  func without(_ isDropped: (Int) -> Bool) -> SessionSequence {
    var copy = self
    copy.isHealthy = false
    copy.steps = []
    var waited = 0
    for (i, step) in steps.enumerated() {
      waited += step.after
      guard !isDropped(i) else { continue }
      copy.steps.append(Step(after: waited, step.what))
      waited = 0
    }
    return copy
  }
}
