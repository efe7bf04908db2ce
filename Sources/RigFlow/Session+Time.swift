import RigModel

/// What time alone brings about, and what comes too late.
extension Session {
  /// Lets everything expire that is due, so that the next deadline lies ahead.
  mutating func tick(at now: HostTime) -> [Action] {
    var actions: [Action] = []
    while let deadline = nextDeadline, deadline <= now {
      let more = expire(at: now)
      // Each expiry clears its own deadline; nothing to do would mean to ask for ever.
      guard !more.isEmpty else { break }
      actions += more
    }
    return actions
  }

  private mutating func expire(at now: HostTime) -> [Action] {
    if let controlDeadline, phase == .driving {
      guard controlDeadline <= now else { return [] }
      let stage = lostIn.map { " in \($0)" } ?? ""
      return lose("the control link was lost\(stage), and did not come back", at: now)
    }
    if let gapDeadline, gapDeadline <= now, gapDeadline <= stopAt ?? now, let i = index(of: .running),
      stages[i].isRunning
    {
      let since = mediaStopped ? "after the stream ended" : "since the session is active, nor before"
      return fail(i, "no media for \(limit("media-gap").text) \(since)", at: now)
    }
    if let stopAt, stopAt <= now, phase == .driving {
      self.stopAt = nil
      gapDeadline = nil
      stopSent = true
      return satisfy(.harness(.stopRequested), at: now) + [.sendStop]
    }
    if let (i, deadline) = awaited, deadline <= now {
      return fail(i, "timed out: it did not begin in \(stages[i].limit?.text ?? "time")", at: now)
    }
    if let i = stages.firstIndex(where: { $0.deadline.map { $0 <= now } ?? false }) {
      if stages[i].definition.completes == [.harness(.keyFrameDue)] {
        return satisfy(.harness(.keyFrameDue), at: now)
      }
      return fail(i, "timed out after \(stages[i].limit?.text ?? "") without \(missing(stages[i]))", at: now)
    }
    return []
  }

  /// What a stage still waits for, in words.
  func missing(_ stage: StageState) -> String {
    stage.definition.completes.indices.filter { !stage.satisfied.contains($0) }
      .map { words(stage.definition.completes[$0]) }.joined(separator: ", ")
  }

  /// Whether something is missing that only the device's agent can say.
  func waitsForAgent(_ stage: StageState) -> Bool {
    stage.definition.completes.indices.contains { i in
      guard !stage.satisfied.contains(i) else { return false }
      switch stage.definition.completes[i] {
      case .event, .success, .harness(.startAccepted), .harness(.addressAccepted): return true
      default: return false
      }
    }
  }

  private func words(_ condition: Flow.Condition) -> String {
    switch condition {
    case .event(let name), .success(let name): name
    case .fact(.keyFrame): "a decoded key frame"
    case .fact(.linkJoined): "proof of the join"
    case .fact(.portClosed): "the RTSP port closed"
    case .fact(.wireQuiet): "a quiet wire"
    case .fact(.hotspotGone): "the hotspot gone"
    case .fact(let kind): kind.rawValue
    case .harness(.startAccepted): "a reply to start"
    case .harness(.preflightPassed): "a usable device"
    case .harness(.addressAccepted): "rtspAddressReceived"
    case .harness(.keyFrameDue): "the time of the first key frame"
    case .harness(let step): step.rawValue
    case .completed(let stage): "\(stage)"
    case .any(let list): list.map(words).joined(separator: " or ")
    }
  }

  // MARK: Too late

  /// An event that comes after its stage timed out, but happened in time on the device: the control link was slow, and
  /// the failure is in doubt.
  mutating func noteLateEvent(_ event: DeviceEvent) {
    guard let failed = failure, failed.doubt == nil, let ended = event.occurred, let endedError = event.timeError,
      let stage = stages.first(where: { FailurePoint($0.definition.id) == failed.point }),
      stage.reason.hasPrefix("timed out"), let limit = stage.limit
    else { return }
    let since: (time: HostTime, error: Duration)?
    if let (began, error) = stage.beganOnDevice {
      since = isAwaited(event, by: stage) ? (began, error) : nil
    } else {
      since = stage.definition.begins == .event(event.name) ? stage.awaitedSince.map { ($0, .zero) } : nil
    }
    guard let (began, error) = since, ended - began <= limit + error + endedError else { return }
    let origin = stage.beganOnDevice == nil ? "the stage before it had ended" : "the beginning"
    failure?.doubt = "\(event.name) came after the limit, but happened \((ended - began).text) after \(origin)"
  }

  /// Whether the stage still waited for this event when it failed.
  private func isAwaited(_ event: DeviceEvent, by stage: StageState) -> Bool {
    for (i, condition) in stage.definition.completes.enumerated() where !stage.satisfied.contains(i) {
      switch condition {
      case .success(event.name): return event.success == true
      case .event("sessionFinish"): return event.name == "sessionFinish" && event.data["userStopped"]?.bool == true
      case .event(event.name): return true
      case .harness(.addressAccepted) where event.name == "rtspAddressReceived":
        return (try? AddressRule.check(event.data["address"]?.string).get()) != nil
      default: continue
      }
    }
    return false
  }
}
