public import RigModel

/// What went into a session that drove a device, to be judged again with the facts that came later.
///
/// A session is a pure machine: the same inputs, with what the phone saw among them, give what it would have been had
/// the harness seen it all.
public struct SessionLog: Sendable {
  /// In the order in which they came.
  public private(set) var inputs: [(time: HostTime, input: Session.Input)] = []
  /// Inputs beyond the bound: then the session cannot be judged again.
  public private(set) var isCut = false
  private static let limit = 200_000

  public init() {}

  /// Time passes by itself, and is not kept.
  public mutating func note(_ input: Session.Input, at time: HostTime) {
    guard input != .tick else { return }
    guard inputs.count < SessionLog.limit else {
      isCut = true
      return
    }
    inputs.append((time, input))
  }
}

extension Session {
  /// Judges a session again, with facts among its inputs.
  /// - Parameters:
  ///   - flow: all of its conditions are met by inputs, facts or time.
  ///   - end: when the last input had come.
  ///   - agentIsSubject: as the agent's hello said.
  ///   - joined: the fact that the hotspot was joined, which holds from the moment on at which the join was reported.
  /// - Returns: the session as it ended, and what it did with the time of each.
  public static func replay(
    _ log: SessionLog, facts: [Fact], joined: Fact?, until end: HostTime, flow: Flow, setup: Setup, agentIsSubject: Bool
  ) -> (session: Session, actions: [(time: HostTime, action: Action)]) {
    var setup = setup
    // The stop is among the inputs: when it came was decided while the device was driven.
    setup.playFor = .seconds(24 * 3600)
    var session = Session(flow: flow, setup: setup)
    session.agentIsSubject = agentIsSubject
    var actions: [(time: HostTime, action: Action)] = []
    func take(_ input: Input, at time: HostTime) {
      actions += session.handle(input, at: time).map { (time, $0) }
    }
    func pass(until time: HostTime) {
      while let deadline = session.nextDeadline, deadline <= time, !session.isOver {
        let before = session
        take(.tick, at: deadline)
        // Nothing that is due may stay due.
        if session.nextDeadline == before.nextDeadline { break }
      }
    }
    // The phone knows the address a little before the harness hears of it, and may be quick: nothing of what it saw
    // then is lost.
    let known = log.inputs.first { _, input in
      if case .event(let event) = input { event.name == "rtspAddressReceived" } else { false }
    }?.time
    var rest =
      facts.map { fact in
        var fact = fact
        if let known { fact.time = max(fact.time, known + .nanoseconds(1)) }
        return fact
      }.sorted { $0.time < $1.time }[...]
    for (time, input) in log.inputs {
      while let fact = rest.first, fact.time <= time {
        rest.removeFirst()
        pass(until: fact.time)
        take(.fact(fact), at: fact.time)
      }
      pass(until: time)
      take(input, at: time)
      if let joined, case .event(let event) = input, event.name == "deviceHotspotConnectCompletion",
        event.success == true
      {
        take(.fact(joined), at: time)
      }
    }
    for fact in rest where fact.time <= end {
      pass(until: fact.time)
      take(.fact(fact), at: fact.time)
    }
    pass(until: end)
    return (session, actions)
  }
}
