import RigChecks
import RigDevice
import RigFlow
import RigLoop
import RigModel

/// A case whose media a phone plays: it is driven by what the agent says, and judged by what the phone captured.
extension CaseRun {
  /// How the session turned out.
  var judged: JudgedSession {
    guard var judged = phone.judged else { return JudgedSession(session) }
    // How the device cleaned up was seen while it was driven.
    judged[.cleanUp] = session.records.first { $0.id == StageID.cleanUp.rawValue }
    if judged.failure == nil, let failure = session.failure, failure.point == FailurePoint(.cleanUp) {
      judged.failure = failure
    }
    return judged
  }

  func beginPhone() async {
    guard let witness = environment.phone else { return }
    phone.properties.append(.init("player", "phone"))
    do { try await witness.begin() } catch {
      phone.beginProblem = "the phone's recorder was not started: \(error)"
      entry(.note(phone.beginProblem ?? ""))
    }
  }

  /// Fetches what the phone captured, and judges the session again with it.
  func hearPhone() async {
    guard let witness = environment.phone else { return }
    if session.openedAddress == nil || session.failure?.point == .rig {
      // Nothing was to be played, or the rig gave up. What is known without the phone stands.
      phone.judged = asDriven("no packets of the phone were asked for that could prove it")
      tellHeld(phone.held.map { ($0.time, $0.action) })
    } else {
      do {
        let question = try self.question()
        let gap = session.limit("media-gap")
        let due = question.received + (item.plan.limits[StageID.play.rawValue] ?? playLimit)
        try judge(await witness.fetch(question, keyFrameDue: due, gap: gap))
      } catch {
        giveUp("the media was not seen: \(error)" + (phone.beginProblem.map { "; \($0)" } ?? ""))
      }
    }
    if phone.isCut || phone.log.isCut { rigProblems.append("too much happened to judge the session afterwards") }
    let marks = phone.marks
    for entry in phone.takeEntries() { weigh(entry) }
    await witness.mark(marks)
  }

  private var playLimit: Duration { flow.stage(.play)?.limit ?? .seconds(5) }

  private struct NoQuestion: Error, CustomStringConvertible { let description: String }

  /// What is known of the session's times without the phone.
  private func question() throws -> PhoneSession {
    let inputs = phone.log.inputs
    let addressed = inputs.lazy.compactMap { time, input -> (HostTime, DeviceEvent)? in
      guard case .event(let event) = input, event.name == "rtspAddressReceived",
        event.run == nil || event.run == self.run
      else { return nil }
      return (time, event)
    }.first
    guard let (received, event) = addressed, let address = session.openedAddress else {
      throw NoQuestion(description: "it is not known when the address was received")
    }
    let stop = inputs.first { time, input in
      guard time >= received else { return false }
      switch input {
      case .stop: return true
      case .event(let event): return event.name == "sessionFinish" && (event.run == nil || event.run == run)
      default: return false
      }
    }?.time
    let finished = inputs.lazy.compactMap { time, input -> HostTime? in
      guard case .event(let event) = input, event.name == "sessionFinish", event.run == nil || event.run == self.run
      else { return nil }
      return event.occurred ?? event.received
    }.first
    let words = inputs.compactMap { _, input -> PhoneSession.ClockWord? in
      guard case .event(let event) = input, let host = event.occurred, let error = event.timeError,
        let wall = event.data["wall"]?.integer, wall.magnitude < 1 << 53
      else { return nil }
      return .init(host: host, error: error, wall: wall &* 1000)
    }
    return PhoneSession(
      address: address, received: event.occurred ?? event.received,
      receivedError: event.occurred == nil ? .milliseconds(500) : event.timeError ?? .milliseconds(500),
      ended: stop ?? session.failureTime ?? loop.now, finished: finished, clockWords: words)
  }

  private func judge(_ testimony: PhoneTestimony) throws {
    let clock = testimony.clock
    let likeliest = replay(testimony, shift: clock.best)
    phone.properties += [
      .init("phone.clock", clock.text),
      .init("phone.capture", "\(testimony.capture.packets) packets" + (testimony.cut.map { ", cut: \($0)" } ?? "")),
    ]
    entry(.note("the phone's clock is \(clock.text)"))
    outcome?.capture = testimony.capture
    summary = testimony.summary
    for fact in testimony.facts.facts() where fact.time <= loop.now { observe(fact) }
    if topology.later.contains(.linkJoined), let join = testimony.facts.join { observe(join) }
    var judged = JudgedSession(likeliest.session)
    // Where the phone's clock is not known well enough to tell, nothing is told.
    for shift in [clock.offset.lowerBound, clock.offset.upperBound] {
      let other = replay(testimony, shift: shift).session
      guard other.failure?.point != likeliest.session.failure?.point else { continue }
      let doubt = "the phone's clock is known to ±\(clock.uncertainty.text) only"
      if judged.failure == nil { judged.doubts.append("whether the session kept its limits: \(doubt)") }
      if judged.failure?.doubt == nil { judged.failure?.doubt = doubt }
    }
    // Where the rig broke, its silence is not the device's. The judge calls that an error.
    if let problem = testimony.capture.problem { judged.failure?.doubt = problem }
    if let shortfall = testimony.facts.shortfall {
      let doubt =
        "the phone's capture does not hold the whole session: \(shortfall)"
        + (testimony.cut.map { " (\($0))" } ?? "")
      judged.doubts.append(doubt)
      // What it lacks cannot speak against the device.
      if judged.failure?.point == FailurePoint(.play) { judged.failure?.doubt = doubt }
    }
    phone.judged = judged
    tellHeld(likeliest.actions)
  }

  private func replay(
    _ testimony: PhoneTestimony, shift: Int64
  ) -> (session: Session, actions: [(time: HostTime, action: Session.Action)]) {
    Session.replay(
      phone.log, facts: testimony.facts.facts(shift: shift),
      joined: topology.later.contains(.linkJoined) ? testimony.facts.join : nil, until: loop.now,
      flow: flow.judgedAfterwards, setup: session.setup, agentIsSubject: session.agentIsSubject)
  }

  /// Without the phone nothing that rests on it is known; what failed before or beside it has failed all the same.
  private func giveUp(_ reason: String) {
    entry(.note(reason))
    phone.unwitnessed = reason
    phone.properties.append(.init("phone.capture", "none: \(reason)"))
    var judged = asDriven(reason)
    if judged.failure?.point == FailurePoint(.play) { judged.failure?.doubt = reason }
    phone.judged = judged
    tellHeld(
      phone.held.compactMap { time, action in
        switch action {
        case .stageEnded(let stage, .passed, _): (time, .stageEnded(stage, .inconclusive, reason: reason))
        case .gate: nil
        default: (time, action)
        }
      })
  }

  /// The session as it was driven, with nothing in it that is only said.
  private func asDriven(_ reason: String) -> JudgedSession {
    var judged = JudgedSession(session)
    for i in judged.stages.indices
    where phone.isOpen(StageID(rawValue: judged.stages[i].id)) && judged.stages[i].outcome == .passed {
      judged.stages[i].outcome = .inconclusive
      judged.stages[i].reason = reason
    }
    let shut = flow.gateOrder.firstIndex { phone.isOpen($0) } ?? flow.gateOrder.count
    if let reached = judged.reached, let i = flow.gateOrder.firstIndex(of: reached), i >= shut {
      judged.reached = shut > 0 ? flow.gateOrder[shut - 1] : nil
    }
    return judged
  }

  private func tellHeld(_ actions: [(time: HostTime, action: Session.Action)]) {
    for (time, action) in actions where !phone.isTold(action) { write(action, at: time) }
    phone.held = []
  }
}

extension Session {
  /// When the session failed; `nil`: it did not, or at no stage.
  fileprivate var failureTime: HostTime? {
    guard let failure else { return nil }
    return records.first { FailurePoint(StageID(rawValue: $0.id)) == failure.point }?.ended
  }
}
