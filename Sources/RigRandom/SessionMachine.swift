public import RigFlow
public import RigModel

/// What the rules look at: a session, or a session with a bug planted in it.
public protocol SessionMachine: Sendable {
  mutating func handle(_ input: Session.Input, at now: HostTime) -> [Session.Action]
  var nextDeadline: HostTime? { get }
  var isOver: Bool { get }
  var reached: Gate? { get }
  var failure: Session.Failure? { get }
}

extension Session: SessionMachine {}

/// What came of a sequence: each input with its time and the actions that it led to.
public struct SessionTrace: Sendable {
  public struct Moment: Sendable {
    public var time: HostTime
    public var input: Session.Input
    public var actions: [Session.Action]
  }

  public let sequence: SessionSequence
  public private(set) var moments: [Moment] = []
  public private(set) var isOver = false
  public private(set) var reached: Gate?
  public private(set) var failure: Session.Failure?
  /// A tick left its own deadline behind: the timer would fire for ever.
  public private(set) var isStuck = false
  private var now = HostTime.zero

  /// More ticks than any session has deadlines.
  private static let mostTicks = 200

  /// Plays a sequence: before each step, and after the last one, the machine is ticked at its own deadlines.
  public init(_ sequence: SessionSequence, on make: (Flow, Session.Setup) -> some SessionMachine) {
    self.sequence = sequence
    var machine = make(.rtspHotspot, sequence.setup)
    moments.reserveCapacity(sequence.steps.count + 8)
    play(.begin, on: &machine)
    var number: Int64 = 0
    for step in sequence.steps {
      wait(until: now + .milliseconds(step.after), on: &machine)
      number += 1
      play(SessionTrace.input(step.what, number: number, at: now), on: &machine)
    }
    // Whatever is still awaited has a limit; an hour is beyond all of them together.
    wait(until: now + .seconds(3600), on: &machine)
    isOver = machine.isOver
    reached = machine.reached
    failure = machine.failure
  }

  private mutating func play(_ input: Session.Input, on machine: inout some SessionMachine) {
    moments.append(Moment(time: now, input: input, actions: machine.handle(input, at: now)))
  }

  private mutating func wait(until target: HostTime, on machine: inout some SessionMachine) {
    var ticks = 0
    while !isStuck, let deadline = machine.nextDeadline, deadline <= target {
      now = max(now, deadline)
      play(.tick, on: &machine)
      ticks += 1
      if let next = machine.nextDeadline, next <= now { isStuck = true }
      if ticks > SessionTrace.mostTicks { isStuck = true }
    }
    now = max(now, target)
  }

  private static func input(_ what: Happening, number: Int64, at now: HostTime) -> Session.Input {
    switch what {
    case .begin: .begin
    case .preflightPassed: .preflightPassed
    case .preflightFailed: .preflightFailed("the device is not ready")
    case .startAccepted: .startAccepted
    case .startRefused: .startRefused("busy")
    case .fact(let kind): .fact(Fact(kind, by: .link, at: now, detail: "seen"))
    case .controlLost: .controlLost("gone")
    case .controlBack: .controlBack
    case .rebooted: .rebooted("boot a became b")
    case .abort: .abort(.rig, "the helper died")
    case .tick: .tick
    case .event(let event):
      .event(
        DeviceEvent(
          received: now, occurred: event.lag.map { now - .milliseconds($0) },
          timeError: event.lag.map { _ in .milliseconds(event.error) }, sequence: number, boot: "b",
          run: event.run == .own ? SessionSequence.run : event.run == .other ? SessionSequence.otherRun : nil,
          name: event.name, source: "device", data: event.data))
    }
  }
}
