public import RigModel

extension Session {
  /// Takes one input at `now`; the actions are to be performed in order.
  public mutating func handle(_ input: Input, at now: HostTime) -> [Action] {
    guard phase != .over else { return [] }
    if phase == .idle {
      switch input {
      case .begin, .abort: break
      default: return []
      }
    }
    switch input {
    case .begin:
      guard phase == .idle else { return [] }
      phase = .driving
      return satisfy(.harness(.hello), at: now)
    case .preflightPassed:
      guard phase == .driving, !startSent else { return [] }
      let actions = satisfy(.harness(.preflightPassed), at: now)
      startSent = true
      return actions + satisfy(.harness(.startSent), at: now) + [.sendStart]
    case .preflightFailed(let reason) where phase == .driving && controlDeadline != nil:
      // The device had answered, and went away: that is no answer to whether it can be used.
      return lose("the control link was lost in the preflight: \(reason)", at: now)
    case .preflightFailed(let reason):
      return index(of: .preflight).map { fail($0, reason, at: now) } ?? []
    case .startAccepted:
      return satisfy(.harness(.startAccepted), at: now)
    case .startRefused(let reason):
      startRefused = startRefused || isRunning(.configureStream)
      return index(of: .configureStream).map { fail($0, "start refused: \(reason)", at: now) } ?? []
    case .event(let event): return handle(event, at: now)
    case .fact(let fact): return handle(fact, at: now)
    case .controlLost:
      guard phase == .driving, controlDeadline == nil else { return [] }
      controlDeadline = now + setup.controlPatience
      lostIn = stages.first { $0.isRunning && waitsForAgent($0) }?.definition.id ?? currentStage
      return []
    case .controlBack:
      controlDeadline = nil
      return []
    case .rebooted(let detail):
      controlDeadline = nil
      guard phase == .driving else { return [] }
      return failCurrent("rebooted: \(detail)", at: now)
    case .abort(let point, let reason):
      if phase == .driving { return fail(at: point, reason, blame: .rig, now: now) }
      // A clean-up that was cut short proves nothing; a failure that stands already is not hidden.
      if failure == nil { failure = Failure(point: point, reason: reason, blame: .rig) }
      return finish()
    case .stop:
      guard phase == .driving, startSent, !stopSent else { return [] }
      stopAt = now
      return tick(at: now)
    case .tick: return tick(at: now)
    }
  }

  /// Fails the earliest stage that runs or is awaited.
  mutating func failCurrent(_ reason: String, at now: HostTime) -> [Action] {
    if let i = stages.firstIndex(where: { $0.isRunning }) ?? awaited?.index { return fail(i, reason, at: now) }
    return fail(at: .protocolOrder, reason, blame: .subject, now: now)
  }

  /// The control link is gone for good: the rig's failure, unless the agent is what is tested.
  mutating func lose(_ reason: String, at now: HostTime) -> [Action] {
    guard agentIsSubject else { return fail(at: .controlLink, reason, blame: .rig, now: now) }
    // The player goes on without the agent: the stage that waits for the agent's word is the one that it broke.
    guard let i = stages.firstIndex(where: { $0.isRunning && waitsForAgent($0) }) else {
      return failCurrent(reason, at: now)
    }
    return fail(i, reason, at: now)
  }

  // MARK: Events

  private mutating func handle(_ event: DeviceEvent, at now: HostTime) -> [Action] {
    // What came before the start was sent belongs to an earlier run, whether it says so or not.
    guard !event.isClaim, event.run == nil || event.run == setup.run, startSent else { return [] }
    guard phase == .driving else {
      if event.name == "sessionFinish" { finishSeen = true }
      noteLateEvent(event)
      return []
    }
    switch event.name {
    case "rtspAddressReceived": return received(address: event, at: now)
    case "sessionFinish": return finished(event, at: now)
    default: break
    }
    if let i = stages.firstIndex(where: { $0.definition.completes.contains(.success(event.name)) }) {
      return completion(event, of: i, at: now)
    }
    let mayJoin = event.name == "connectDeviceHotspotStarting" && !isRunning(.connectHotspot)
    var actions = satisfy(.event(event.name), by: event, at: now)
    if mayJoin, isRunning(.connectHotspot) {
      actions.append(.join(ssid: event.data["ssid"]?.string ?? "", join: event.data["join"] ?? .null))
    }
    return actions
  }

  private mutating func completion(_ event: DeviceEvent, of i: Int, at now: HostTime) -> [Action] {
    switch event.success {
    case true:
      // Reported once already: a repeat changes nothing here, and the order check reports it.
      guard stages[i].outcome == nil else { return [] }
      let before = stages[i].satisfied.count
      var actions = satisfy(.success(event.name), by: event, at: now)
      let isNews = stages[i].satisfied.count > before
      if stages[i].definition.id == .connectHotspot, stages[i].isRunning, isNews { actions.append(.proveLink) }
      return actions
    case false:
      return fail(i, event.error.map { "reported failure: \($0)" } ?? "reported failure without an error", at: now)
    default:
      return fail(i, "\(event.name) carries no success", at: now)
    }
  }

  mutating func received(address event: DeviceEvent, at now: HostTime) -> [Action] {
    guard address == nil, let i = index(of: .receiveAddress), stages[i].outcome == nil else { return [] }
    guard stages[i].isRunning else {
      // Before the connect completed: kept, and used if the connect succeeds; the order check reports it.
      if earlyAddress == nil { earlyAddress = event }
      return []
    }
    let text = event.data["address"]?.string
    switch AddressRule.check(text) {
    case .failure(let why):
      return [.refuseAddress(text ?? "", reason: "\(why)")]
        + fail(i, "the address is invalid: \(why)", at: now)
    case .success:
      address = text
      let actions = satisfy(.harness(.addressAccepted), by: event, at: now)
      return phase == .driving ? actions + [.openMedia(text ?? "")] : actions
    }
  }

  private mutating func finished(_ event: DeviceEvent, at now: HostTime) -> [Action] {
    finishSeen = true
    let byUser = event.data["userStopped"]?.bool
    let error = event.error.map { ": \($0)" } ?? ""
    guard let finish = index(of: .finish) else { return [] }
    if stages[finish].isRunning {
      if byUser != true { return fail(finish, "ended as an interruption after a stop was requested\(error)", at: now) }
      if event.error != nil { return fail(finish, "the user stop ended with an error\(error)", at: now) }
      // A user stop is the end of a whole session: no stage may be left over.
      if let i = leftOver {
        let how = stages[i].isRunning ? "without \(missing(stages[i]))" : "before it began"
        return fail(i, "the session ended \(how)", at: now)
      }
      return satisfy(.event("sessionFinish"), by: event, at: now) + endSession(at: now)
    }
    guard isRunning(.running), let running = index(of: .running) else {
      return failCurrent("the device ended the session\(error)", at: now)
    }
    stopAt = nil
    // The device ends by itself: `running` is over, and `finish` tells how it ended.
    var actions = complete(running, at: now)
    let reason =
      byUser == true
      ? "userStopped is true, and nobody asked for a stop" : "interrupted by the device\(error)"
    actions += fail(finish, reason, at: now)
    return actions
  }

  /// The earliest stage before `finish` that has not completed.
  private var leftOver: Int? {
    stages.firstIndex { $0.outcome == nil && $0.definition.id != .finish && $0.definition.id != .cleanUp }
  }

  // MARK: Facts

  private mutating func handle(_ fact: Fact, at now: HostTime) -> [Action] {
    switch fact.kind {
    case .linkNotJoined:
      guard let i = index(of: .connectHotspot), stages[i].isRunning else { return [] }
      return fail(i, "reported as joined, but \(fact.detail)", at: now)
    case .linkLost:
      // Once a stop was asked for, the hotspot may go before sessionFinish comes.
      guard phase == .driving, hasPassed(.connectHotspot), !isRunning(.finish) else { return [] }
      return failCurrent("the hotspot was left: \(fact.detail)", at: now)
    case .mediaFailed:
      if let i = index(of: .play), stages[i].isRunning { return fail(i, fact.detail, at: now) }
      return mediaStopped(at: fact.time)
    case .mediaEnded:
      if let i = index(of: .play), stages[i].isRunning { return fail(i, "the media ended: \(fact.detail)", at: now) }
      return mediaStopped(at: fact.time)
    case .mediaUnreachable:
      guard isRunning(.play), let i = index(of: .receiveAddress) else { return mediaStopped(at: fact.time) }
      return withdraw(i, "nobody answers at the address: \(fact.detail)", at: now)
    case .mediaResumed:
      gapIsOpen = false
      if !mediaStopped { gapDeadline = nil }
      return []
    case .mediaGap:
      guard let i = index(of: .running), stages[i].isRunning else {
        gapIsOpen = gapIsOpen || hasPassed(.play)
        return []
      }
      return fail(i, "no media for \(fact.detail), limit \(limit("media-gap").text)", at: now)
    case .keyFrame where address == nil && index(of: .receiveAddress) != nil:
      // Nothing was opened: whatever this is, it is not this session's media.
      return []
    case .portStillOpen, .wireBusy, .hotspotStillUp:
      guard let i = index(of: .cleanUp), stages[i].isRunning else { return [] }
      return fail(i, fact.detail, at: now)
    default:
      let actions = satisfy(.fact(fact.kind), at: now)
      if phase == .cleaning, hasPassed(.cleanUp) { return actions + finish() }
      return actions
    }
  }

  /// The stream is over. The device may be about to say that it ends: the gap limit decides.
  private mutating func mediaStopped(at time: HostTime) -> [Action] {
    mediaStopped = mediaStopped || hasPassed(.play)
    if isRunning(.running), gapDeadline == nil { gapDeadline = time + limit("media-gap") }
    return []
  }
}
