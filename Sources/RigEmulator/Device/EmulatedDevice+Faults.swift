import RigFlow
import RigLoop
import RigModel
import RigWire

/// `inject` and `clear`: faults die when they are used up, at their time, at the end of the run, and with the link.
extension EmulatedDevice {
  func inject(_ request: JSONValue) async -> Result<JSONValue, StageLinkError> {
    guard let name = request["fault"]?.string else { return .failure(StageLinkError(.invalidParams, "fault")) }
    guard faults.count < 64 else { return .failure(StageLinkError(.tooLarge, "64 faults at most")) }
    let meanings = FaultCatalog.named(name)
    let definition: FaultDefinition
    let place: InjectedFault.Place
    switch EmulatedDevice.place(request["at"], of: meanings) {
    case .failure(let error): return .failure(error)
    case .success(let found): (definition, place) = found
    }
    guard definition.capability != .usb || plug != nil else {
      return .failure(StageLinkError(.unsupported, "\(definition.verb): the control link of this device is not on USB"))
    }
    lastFault += 1
    let id = "f\(lastFault)"
    if profile.ignoresFaults {
      emit("x.fault.fired", ["id": .string(id)], source: "fw")
      return .success(["id": .string(id)])
    }
    // A deviation of the stream lasts; one of an event happens once.
    let count = request["count"]?.integer.map { max(1, $0) } ?? (definition.needsWire ? nil : 1)
    let fault = InjectedFault(
      id: id, definition, at: place, arguments: request["args"] ?? .object([]), remaining: count,
      expires: request["ttlMs"]?.integer.map { loop.now + .milliseconds(max(0, min($0, 86_400_000))) })
    faults.append(fault)
    await armed(fault)
    return .success(["id": .string(id)])
  }

  /// What `at` names: a stage, an event that begins or completes one, or a time since the beginning of the run.
  private static func place(
    _ at: JSONValue?, of meanings: [FaultDefinition]
  ) -> Result<(FaultDefinition, InjectedFault.Place), StageLinkError> {
    func legal(_ stage: StageID) -> FaultDefinition? { meanings.first { $0.isLegal(at: stage, in: .rtspHotspot) } }
    if let word = at?["stage"]?.string {
      let stage = StageID(rawValue: word)
      guard let definition = legal(stage) else {
        return .failure(StageLinkError(.unknownFault, "no such fault at \(word)"))
      }
      return .success((definition, .stage(stage)))
    }
    if let event = at?["event"]?.string {
      let stages = EmulatedDevice.stages(of: event)
      guard !stages.isEmpty else { return .failure(StageLinkError(.badParam, "\(event) is no event of the flow")) }
      for stage in stages { if let definition = legal(stage) { return .success((definition, .stage(stage))) } }
      return .failure(StageLinkError(.unknownFault, "no such fault at \(event)"))
    }
    if let ms = at?["ms"]?.integer {
      guard let definition = meanings.first else { return .failure(StageLinkError(.unknownFault, "no such fault")) }
      guard meanings.count == 1 else {
        let ids = meanings.map(\.id).joined(separator: ", ")
        return .failure(StageLinkError(.badParam, "the verb alone does not tell which: \(ids)"))
      }
      guard (0...86_400_000).contains(ms) else {
        return .failure(StageLinkError(.badParam, "ms", data: ["range": [0, 86_400_000]]))
      }
      return .success((definition, .after(.milliseconds(ms))))
    }
    return .failure(StageLinkError(.badParam, "at: one of stage, event, ms"))
  }

  /// The stage that an event completes, then the one that it begins.
  private static func stages(of event: String) -> [StageID] {
    let stages = Flow.rtspHotspot.stages
    let completed = stages.filter { stage in
      stage.completes.contains { $0 == .event(event) || $0 == .success(event) }
        || (stage.id == .receiveAddress && event == "rtspAddressReceived")
    }
    return (completed + stages.filter { $0.begins == .event(event) }).map(\.id)
  }

  // MARK: Time

  /// Sees to it that what depends on the time happens in time.
  private func armed(_ fault: InjectedFault) async {
    if let expires = fault.expires {
      loop.spawn {
        try await self.loop.sleep(until: expires)
        await self.dropExpired()
      }
    }
    if run != nil { watch(fault) }
    if fault.definition?.needsWire == true { await media.change(faults: wireFaults) }
  }

  /// Once the run has begun the time of a fault that waits for one is known.
  func watch(_ fault: InjectedFault) {
    guard case .after(let delay) = fault.place, let runBegan else { return }
    let due = runBegan + delay
    let task = loop.spawn {
      try await self.loop.sleep(until: due)
      await self.due(fault.id)
    }
    flowTasks.append(task)
  }

  private func due(_ id: String) async {
    guard run != nil, let fault = faults.first(where: { $0.id == id }) else { return }
    switch fault.fault {
    case "flow.reboot":
      use(fault)
      await reboot()
    case "finish.interrupt":
      use(fault)
      await interrupt()
    case "control-link.heartbeat-lost":
      use(fault)
      fallSilent()
    case "control-link.damaged-record":
      use(fault)
      damageNextEvent = true
    default:
      if let plug, let what = PlugFault(fault) {
        use(fault)
        await plug.perform(what)
      }
      if fault.definition?.needsWire == true { await media.change(faults: wireFaults) }
    }
  }

  private func isDue(_ fault: InjectedFault) -> Bool {
    guard case .after(let delay) = fault.place else { return true }
    return runBegan.map { $0 + delay <= loop.now } ?? false
  }

  func dropExpired() async {
    let before = faults.count
    faults.removeAll { $0.expires.map { $0 <= loop.now } ?? false }
    if faults.count != before { await media.change(faults: wireFaults) }
  }

  // MARK: Clear

  func clear(_ request: JSONValue) async -> Result<JSONValue, StageLinkError> {
    if let id = request["id"]?.string {
      guard faults.contains(where: { $0.id == id }) else { return .failure(StageLinkError(.unknownFault, id)) }
      faults.removeAll { $0.id == id }
      await media.change(faults: wireFaults)
    } else {
      faults.removeAll()
      plug?.restore()
      await media.change(faults: [])
      await repairLeaks()
    }
    return .success([:])
  }

  /// What a fault left open or running is closed when the faults are cleared, or by the next start.
  func repairLeaks() async {
    if hotspotLeaked {
      hotspotLeaked = false
      await hotspot.down()
    }
    // A port that stayed open, a session that goes on after its end.
    if run == nil { await media.stop(leakPort: false) }
  }

  // MARK: Use

  /// Uses a fault up, once, and claims that it fired. The claim proves nothing to the harness.
  func take(_ verb: String, at stage: StageID) -> InjectedFault? {
    let fault = faults.first { fault in
      guard fault.verb == verb, fault.expires.map({ $0 > loop.now }) ?? true, isDue(fault) else { return false }
      if case .stage(let own) = fault.place { return own == stage }
      return fault.definition?.isLegal(at: stage, in: .rtspHotspot) ?? false
    }
    guard let fault else { return nil }
    use(fault)
    return fault
  }

  private func use(_ fault: InjectedFault) {
    if let i = faults.firstIndex(where: { $0.id == fault.id }), let remaining = faults[i].remaining {
      faults[i].remaining = remaining - 1
      if remaining <= 1 { faults.remove(at: i) }
    }
    claim(fault.id)
  }

  func claim(_ id: String) { emit("x.fault.fired", ["id": .string(id)], source: "fw") }

  /// Faults that the media server carries out itself, as far as they are due.
  var wireFaults: [InjectedFault] { faults.filter { $0.definition?.needsWire == true && isDue($0) } }
}
