import RigLoop
import RigModel
import RigWire

/// The start flow as the device lives it.
extension EmulatedDevice {
  private struct Stage {
    let id: StageID
    let begin: String
    let completion: String
  }

  /// What a stage's faults leave of it.
  private enum Outcome { case completed, refused }

  func runFlow() async throws {
    do {
      try await flow()
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      await endRun(byUser: false, error: DeviceError(domain: "media", code: 2, message: "\(error)"))
    }
  }

  private func flow() async throws {
    let pace = profile.pace
    guard
      try await stage(
        .configureHotspot, "configureHotspotStarting", "hotspotConfigureCompletion", draw(pace.configureHotspot))
    else { return }
    guard
      try await stage(
        .enterLiveMode, "enterLiveStreamingModeStarting", "enterLiveStreamingModeCompleted", draw(pace.enterLiveMode))
    else { return }
    try await openHotspot()
    guard try await join() else { return }
    try await stream()
  }

  /// One stage with a beginning, some work, and a completion that may be disturbed.
  /// - Returns: whether the flow goes on.
  private func stage(_ id: StageID, _ begin: String, _ completion: String, _ work: Duration) async throws -> Bool {
    try await loop.sleep(for: draw(profile.pace.between))
    if take("damaged-record", at: id) != nil { damageNextEvent = true }
    emit(begin)
    emitOvertaken()
    try await disturbedWork(id, work)
    return try await complete(id, completion)
  }

  /// The completion that the event before has overtaken.
  private func emitOvertaken() {
    guard let completion = overtaken else { return }
    overtaken = nil
    emit(completion, ["success": true])
  }

  /// Nothing is said and nothing heard: three heartbeats and the 8 s that a harness waits for the link to come back.
  /// Longer would meet the next run.
  func fallSilent() { silentUntil = loop.now + .seconds(13) }

  func interrupt() async {
    await endRun(byUser: false, error: DeviceError(domain: "camera", code: 17, message: "camera closed by system"))
  }

  /// The stage's work, with what `reboot`, `hang`, `delay` and `late` do to it.
  private func disturbedWork(_ id: StageID, _ work: Duration) async throws {
    if let fault = take("reboot", at: id) {
      try await loop.sleep(for: fault.duration("after") ?? work)
      await reboot()
      throw CancellationError()
    }
    if take("heartbeat-lost", at: id) != nil {
      // In the middle of the stage: its beginning was heard.
      try await loop.sleep(for: .milliseconds(50))
      fallSilent()
    }
    try await disturbPlugMeanwhile(at: id)
    if take("hang", at: id) != nil { try await hang() }
    let longer = take("delay", at: id) ?? take("late", at: id) ?? take("slow-open", at: id)
    // What was asked counts from the beginning of the stage.
    try await loop.sleep(for: max(work, (longer?.duration("for") ?? .zero) + .milliseconds(longer == nil ? 0 : 20)))
  }

  /// Until the run is stopped or the device loses its owner.
  private func hang() async throws {
    while true { try await loop.sleep(for: .seconds(3600)) }
  }

  private func complete(_ id: StageID, _ completion: String) async throws -> Bool {
    if let fault = take("refuse", at: id) {
      return try await refuse(
        completion,
        DeviceError(
          domain: "device", code: fault.arguments["code"]?.integer ?? -1, message: fault.text("message") ?? "refused"))
    }
    if id == .enterLiveMode, let every = profile.failsEveryStart, every > 0, starts % every == 0 {
      return try await refuse(
        completion, DeviceError(domain: "camera", code: 11, message: "the encoder is still busy with the last session"))
    }
    if take("drop", at: id) != nil { return true }
    if take("other-run", at: id) != nil {
      emit(completion, ["success": true], run: "other-run")
      try await hang()
    }
    if take("reorder", at: id) != nil {
      overtaken = completion
      return true
    }
    emit(completion, ["success": true])
    if take("duplicate", at: id) != nil { emit(completion, ["success": true]) }
    return true
  }

  /// A completion that says no, and the end of the run.
  private func refuse(_ completion: String, _ error: DeviceError) async throws -> Bool {
    emit(completion, ["success": false, "error": error.json])
    try await loop.sleep(for: draw(profile.pace.stop))
    await endRun(byUser: false, error: error)
    return false
  }

  private func openHotspot() async throws {
    try await loop.sleep(for: draw(profile.pace.between))
    if take("damaged-record", at: .waitForHotspot) != nil { damageNextEvent = true }
    emit("waitingForHotspotOpen")
    emitOvertaken()
    if take("never-opens", at: .waitForHotspot) != nil { try await hang() }
    try await disturbedWork(.waitForHotspot, draw(profile.pace.openHotspot))
    try await hotspot.up()
    emit("x.ap.up", source: "fw")
  }

  private func join() async throws -> Bool {
    if take("damaged-record", at: .connectHotspot) != nil { damageNextEvent = true }
    linkResult = nil
    emit("connectDeviceHotspotStarting", notice.json)
    let work = draw(profile.pace.join)
    // Success will be reported though nobody can reach the access point.
    if take("lie", at: .connectHotspot) != nil { await hotspot.down() }
    try await disturbedWork(.connectHotspot, work)
    if notice.harnessJoins, let error = try await failedJoin() {
      emit("deviceHotspotConnectCompletion", ["success": false, "error": error.json])
      await endRun(byUser: false, error: error)
      return false
    }
    return try await complete(.connectHotspot, "deviceHotspotConnectCompletion")
  }

  /// Waits for what the harness says of its join.
  /// - Returns: why it failed; `nil`: it is on the hotspot.
  private func failedJoin() async throws -> DeviceError? {
    while linkResult == nil { try await loop.sleep(for: .milliseconds(20)) }
    guard let linkResult, !linkResult.success else { return nil }
    return linkResult.error ?? DeviceError(domain: "harness", code: 0, message: "the harness did not join")
  }

  // MARK: Streaming

  /// The address and the session-start completion are two events in either order.
  private func stream() async throws {
    let started = try await media.start(params, faults: wireFaults) { [weak self] id in
      guard let self else { return }
      self.loop.post { self.assumeIsolated { $0.claim(id) } }
    }
    emit("x.encoder.first", ["counterModulus": started.counterModulus.map { .integer(Int64($0)) }], source: "fw")
    let addressTask = loop.spawn { try await self.announce(started.address) }
    flowTasks.append(addressTask)
    try await disturbedWork(.startSession, draw(profile.pace.sessionStart))
    if take("damaged-record", at: .startSession) != nil { damageNextEvent = true }
    guard try await complete(.startSession, "sessionStartCompletion") else { return }
    state = .streaming
    if let fault = take("interrupt", at: .running) {
      try await loop.sleep(for: fault.duration("after") ?? .seconds(1))
      await interrupt()
      return
    }
    if let fault = take("reboot", at: .running) {
      try await loop.sleep(for: fault.duration("after") ?? .seconds(1))
      await reboot()
      return
    }
    if take("heartbeat-lost", at: .running) != nil {
      try await loop.sleep(for: .seconds(1))
      fallSilent()
    }
    try await disturbPlugMeanwhile(at: .running, after: .seconds(1))
  }

  private func announce(_ address: String) async throws {
    try await disturbedWork(.receiveAddress, draw(profile.pace.address))
    if take("drop", at: .receiveAddress) != nil { return }
    let sent = await disturbed(address)
    emit("rtspAddressReceived", ["address": .string(sent)])
    emitOvertaken()
    try await disturbPlugMeanwhile(at: .play)
    if take("twice", at: .receiveAddress) != nil { emit("rtspAddressReceived", ["address": .string(sent)]) }
    if take("changed", at: .receiveAddress) != nil {
      emit("rtspAddressReceived", ["address": .string(sent + "/other")])
    }
  }

  private func disturbed(_ address: String) async -> String {
    let rest = address.dropFirst("rtsp://".count)
    if take("bad-scheme", at: .receiveAddress) != nil { return "http://\(rest)" }
    if take("no-host", at: .receiveAddress) != nil { return "rtsp:///live" }
    if take("control-bytes", at: .receiveAddress) != nil { return "\(address)\r\nX-Injected: 1\u{1B}[2J" }
    if take("too-long", at: .receiveAddress) != nil { return address + "/" + String(repeating: "a", count: 1100) }
    if take("wrong-host", at: .receiveAddress) != nil { return await media.foreignAddress() }
    if take("dead-port", at: .receiveAddress) != nil { return await media.deadAddress() }
    return address
  }

  // MARK: The end

  /// Ends the run: media, `sessionFinish`, then the access point.
  func endRun(byUser: Bool, error: DeviceError?) async {
    // A stop and a lost owner may meet.
    guard let ending = run, !isEnding else { return }
    isEnding = true
    defer { isEnding = false }
    cancelFlow()
    state = .stopping
    let staysBusy = take("stays-busy", at: .cleanUp) != nil
    let leakPort = take("leak-port", at: .cleanUp) != nil
    await media.stop(leakPort: leakPort)
    let wrong = byUser && take("wrong-user-stopped", at: .finish) != nil
    if !(byUser && take("no-finish", at: .finish) != nil) {
      let data: JSONValue = ["userStopped": .bool(byUser != wrong), "error": error?.json]
      emit("sessionFinish", data)
      if take("finish-twice", at: .finish) != nil { emit("sessionFinish", data) }
      if take("events-after-finish", at: .finish) != nil { emit("sessionStartCompletion", ["success": true]) }
    }
    try? await loop.sleep(for: draw(profile.pace.between))
    if take("leak-hotspot", at: .cleanUp) != nil {
      hotspotLeaked = true
    } else {
      await hotspot.down()
      emit("x.ap.down", source: "fw")
    }
    // A reboot in between has ended it already.
    guard state != .rebooting else { return }
    lastRun = ending
    // The session is over for everybody but the device itself: it takes no other start until it is reset.
    if staysBusy {
      state = .idle
      faults.removeAll()
      return
    }
    run = nil
    runBegan = nil
    params = nil
    overtaken = nil
    state = .idle
    faults.removeAll()
  }

  /// The process ends: nothing stays open.
  public func shutDown() async {
    cancelFlow()
    await media.stop(leakPort: false)
    await hotspot.down()
    await hotspot.settle()
    dropLink()
  }

  /// Everything is gone for a moment; then another boot id.
  func reboot() async {
    guard state != .rebooting else { return }
    cancelFlow()
    state = .rebooting
    run = nil
    runBegan = nil
    overtaken = nil
    faults.removeAll()
    await media.stop(leakPort: false)
    await hotspot.down()
    hotspotLeaked = false
    dropLink()
    // A task of its own: the one that runs here may just have been cancelled.
    let time = draw(profile.pace.reboot)
    loop.spawn {
      try await self.loop.sleep(for: time)
      await self.booted()
    }
  }

  private func booted() {
    boot = String(random.next(), radix: 16)
    clockOrigin = loop.now
    ring = .init()
    lastRun = nil
    starts = 0
    state = .idle
  }
}

extension DeviceError {
  var json: JSONValue { ["domain": .string(domain), "code": .integer(code), "message": .string(message)] }
}
