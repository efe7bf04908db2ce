import RigModel

/// How stages begin, complete and fail.
extension Session {
  /// Something became true: begins and completes whatever waits for it.
  mutating func satisfy(_ condition: Flow.Condition, by event: DeviceEvent? = nil, at now: HostTime) -> [Action] {
    var actions: [Action] = []
    for i in stages.indices where phase == .driving || stages[i].definition.id == .cleanUp {
      if stages[i].isPending, matches(stages[i].definition.begins, condition) {
        actions += begin(i, by: event, at: now)
        let isComplete = stages[i].satisfied.count == stages[i].definition.completes.count
        if stages[i].isRunning, isComplete { actions += complete(i, at: now) }
      }
    }
    for i in stages.indices {
      let needed = stages[i].definition.completes
      let hits = needed.indices.filter { matches(needed[$0], condition) }
      guard !hits.isEmpty, stages[i].outcome == nil else { continue }
      if stages[i].began == nil {
        // A completion without its beginning: an event counts (the order check reports it), a fact does not.
        guard phase == .driving, event != nil else { continue }
        // What waits for another stage is kept until that one has completed: it must not fail in its place.
        if case .completed = stages[i].definition.begins {} else { actions += begin(i, by: event, at: now) }
      }
      stages[i].satisfied.formUnion(hits)
      if let event, let occurred = event.occurred, let error = event.timeError {
        stages[i].heardOnDevice = (occurred, error)
      }
      if stages[i].isRunning, stages[i].satisfied.count == needed.count { actions += complete(i, at: now) }
    }
    return actions
  }

  private func matches(_ wanted: Flow.Condition, _ condition: Flow.Condition) -> Bool {
    if case .any(let list) = wanted { return list.contains(condition) }
    return wanted == condition
  }

  mutating func begin(_ i: Int, by event: DeviceEvent?, at now: HostTime) -> [Action] {
    stages[i].began = now
    if let event {
      if let occurred = event.occurred, let error = event.timeError { stages[i].beganOnDevice = (occurred, error) }
    } else {
      // What the harness itself begins has a time that both clocks agree on.
      stages[i].beganOnDevice = (now, .zero)
    }
    if awaited?.index == i { awaited = nil }
    var actions: [Action] = [.stageBegan(stages[i].definition.id, deadline: stages[i].deadline)]
    if stages[i].definition.id == .running {
      stopAt = now + setup.playFor
      if mediaStopped || gapIsOpen { gapDeadline = now + limit("media-gap") }
    }
    if stages[i].definition.id == .receiveAddress, let early = earlyAddress {
      earlyAddress = nil
      actions += received(address: early, at: now)
    }
    return actions
  }

  mutating func complete(_ i: Int, at now: HostTime) -> [Action] {
    let doubt = late(stages[i])
    if case .late(let text)? = doubt { return fail(i, text, at: now) }
    stages[i].ended = now
    stages[i].outcome = .passed
    if case .unclear(let text)? = doubt {
      stages[i].outcome = .inconclusive
      stages[i].reason = text
      doubts.append("\(stages[i].definition.id): \(text)")
    }
    let stage = stages[i]
    var actions: [Action] = [
      .stageEnded(stage.definition.id, stage.outcome ?? .passed, reason: stage.reason)
    ]
    if let gate = stage.definition.gate {
      reach(gate)
      actions.append(.gate(gate))
    }
    actions += satisfy(.completed(stage.definition.id), at: now)
    awaitNext(at: now)
    return actions
  }

  private mutating func reach(_ gate: Gate) {
    let order = flow.gateOrder
    let old = reached.flatMap { order.firstIndex(of: $0) } ?? -1
    if let new = order.firstIndex(of: gate), new > old { reached = gate }
  }

  private enum Doubt { case late(String), unclear(String) }

  /// A limit is enforced on receipt and judged on device time: what came in time over a slow control link may still
  /// have been late on the device, or too near to tell.
  private func late(_ stage: StageState) -> Doubt? {
    guard let limit = stage.limit, let (began, beganError) = stage.beganOnDevice,
      let (ended, endedError) = stage.heardOnDevice
    else { return nil }
    let took = ended - began
    // Each end of the interval is off by as much as its own error.
    let error = beganError + endedError
    if took > limit + error { return .late("took \(took.text) on the device's clock, limit \(limit.text)") }
    if took > limit - error {
      return .unclear("took \(took.text) ± \(error.text), too near to the limit of \(limit.text) to tell")
    }
    return nil
  }

  /// Nothing runs that an event could complete: the next stage's beginning must come inside that stage's limit.
  private mutating func awaitNext(at now: HostTime) {
    guard phase == .driving, awaited == nil, !stages.contains(where: { $0.isRunning }) else { return }
    guard let i = stages.firstIndex(where: { $0.isPending }), case .event = stages[i].definition.begins,
      let limit = stages[i].limit
    else { return }
    awaited = (i, now + limit)
    stages[i].awaitedSince = now
  }

  /// The stage failed: the session is over but for clean-up.
  mutating func fail(_ i: Int, _ reason: String, at now: HostTime) -> [Action] {
    guard stages[i].outcome == nil else { return [] }
    let id = stages[i].definition.id
    var actions: [Action] = []
    if stages[i].began == nil, phase == .driving {
      stages[i].began = awaited?.index == i ? now : stages[i].began
      if stages[i].began != nil { actions.append(.stageBegan(id, deadline: nil)) }
    }
    stages[i].ended = now
    stages[i].outcome = .failed
    stages[i].reason = reason
    actions.append(.stageEnded(id, .failed, reason: reason))
    // A preflight that fails is a precondition of the rig, never a failure of the subject.
    let blame: Failure.Blame = id == .preflight ? .rig : .subject
    if failure == nil { failure = Failure(point: FailurePoint(id), reason: reason, blame: blame) }
    return actions + (id == .cleanUp ? finish() : endSession(at: now))
  }

  /// A stage that had completed turns out to have failed: what it delivered is worth nothing, and its gate is shut.
  mutating func withdraw(_ i: Int, _ reason: String, at now: HostTime) -> [Action] {
    stages[i].outcome = nil
    let open = stages.filter { $0.outcome == .passed || $0.outcome == .inconclusive }.compactMap(\.definition.gate)
    reached = flow.gateOrder.last { open.contains($0) }
    return fail(i, reason, at: now)
  }

  /// A failure that belongs to no stage.
  mutating func fail(
    at point: FailurePoint, _ reason: String, blame: Failure.Blame, now: HostTime
  ) -> [Action] {
    if failure == nil { failure = Failure(point: point, reason: reason, blame: blame) }
    return endSession(at: now)
  }

  /// Ends what still runs, and begins clean-up.
  mutating func endSession(at now: HostTime) -> [Action] {
    guard phase == .driving else { return [] }
    phase = .cleaning
    awaited = nil
    stopAt = nil
    gapDeadline = nil
    controlDeadline = nil
    var actions: [Action] = []
    for i in stages.indices where stages[i].isRunning {
      stages[i].ended = now
      stages[i].outcome = .blocked
      stages[i].reason = failure.map { "ended by \($0.point)" } ?? ""
      actions.append(.stageEnded(stages[i].definition.id, .blocked, reason: stages[i].reason))
    }
    for i in stages.indices where stages[i].isPending && stages[i].definition.id != .cleanUp {
      stages[i].outcome = .blocked
      stages[i].reason = failure.map { "blocked by \($0.point)" } ?? ""
    }
    actions.append(.closeMedia)
    guard startSent, !startRefused else {
      if let i = index(of: .cleanUp) {
        stages[i].outcome = .blocked
        stages[i].reason =
          startRefused ? "the start was refused: nothing to clean up" : "no start was sent: nothing to clean up"
      }
      return actions + finish()
    }
    if !finishSeen { actions.append(.sendStop) }
    actions += satisfy(.harness(.sessionOver), at: now)
    actions.append(.proveClean)
    // A flow without a clean-up stage is over now.
    return index(of: .cleanUp) == nil ? actions + finish() : actions
  }

  mutating func finish() -> [Action] {
    guard phase != .over else { return [] }
    phase = .over
    return [.finished]
  }
}
