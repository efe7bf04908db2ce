import RigDevice
import RigFlow
import RigLoop
import RigModel
import RigWire

/// Performing what the session asks for.
extension CaseRun {
  /// How often a reported join is tried to be proven before it counts as untrue.
  private static let linkAttempts = 5
  private static let linkRetry: Duration = .milliseconds(300)
  /// A station that waits for a lease takes seconds for one attempt.
  private static let linkPatience: Duration = .seconds(6)
  private static let cleanPoll: Duration = .milliseconds(100)
  /// How often a request is sent again while the control link is down.
  private static let askAgain: Duration = .milliseconds(100)
  /// The wire counts as quiet after this long without media.
  private static let quietFor: Duration = .seconds(1)

  func perform(_ action: Session.Action) {
    switch action {
    case .stageBegan(let stage, _):
      tell(action, at: loop.now)
      beginLinkFaults(at: stage)
      reached(.stage(stage))
    case .stageEnded: tell(action, at: loop.now)
    case .gate(let gate):
      tell(action, at: loop.now)
      reached(.gate(gate))
    case .sendStart: start()
    case .sendStop:
      if topology.player == .phone, !session.isCleaning { phone.log.note(.stop, at: loop.now) }
      stop()
    case .join(let ssid, let join): self.join(JoinRequest(ssid: ssid, ssidHex: namedHotspotHex, join: join))
    case .proveLink: proveLink()
    case .openMedia(let url) where topology.player == .phone:
      entry(.note("the phone plays \(url)"))
    case .openMedia(let url):
      entry(.action(HarnessAction.open(url)))
      play(url)
    case .refuseAddress(let address, let reason): entry(.note("address refused: \(reason): \(address)"))
    case .closeMedia:
      entry(.action(HarnessAction.closeMedia))
      loop.spawn { [environment] in await environment.player.close() }
    case .proveClean:
      loop.spawn { await self.proveClean() }
    case .finished: finishSession()
    }
  }

  /// Puts a stage or a gate on the timeline, unless what it is worth is known only when the phone has been heard.
  private func tell(_ action: Session.Action, at time: HostTime) {
    if phone.holds(action) { phone.held.append((time, action)) } else { write(action, at: time) }
  }

  func write(_ action: Session.Action, at time: HostTime) {
    switch action {
    case .stageBegan(let stage, let deadline):
      entry(.stageBegan(stage, deadline: deadline), at: time)
      mark("stage \(stage) began", at: time)
    case .stageEnded(let stage, let outcome, let reason):
      entry(.stageEnded(stage, outcome, reason: reason), at: time)
      let how = outcome == .passed ? "ok" : outcome.rawValue
      mark("stage \(stage) \(how)\(reason.isEmpty ? "" : ": \(reason)")", at: time)
    case .gate(let gate): entry(.gate(gate), at: time)
    default: break
    }
  }

  private func start() {
    entry(.action(HarnessAction.start))
    var params: JSONValue = "default"
    if let p = item.plan.params {
      params = [
        "bitrate": .number(Double(p.bitrate.bitsPerSecond) / 1e6), "qualityFactor": .integer(Int64(p.qualityFactor)),
        "iFrameInterval": .integer(Int64(p.iFrameInterval)),
      ]
    }
    let request: JSONValue = [
      "run": .string(run), "flow": .string(flow.id.rawValue), "params": params,
      "ownerTimeoutMs": .integer(LeftRun.ownerTimeout.nanoseconds / 1_000_000),
    ]
    let limit = session.setup.limits[StageID.configureStream.rawValue] ?? .seconds(10)
    isStarting = true
    loop.spawn {
      do {
        _ = try await self.ask("start", request, within: limit + .seconds(1))
        await self.started(.accepted)
      } catch {
        let known = error as? StageLinkError
        // No answer may be the doing of the case before as well.
        let mayBlame = known.map { $0.meansLeftOver || $0.known == .timeout } ?? true
        await self.started(.refused("\(error)", owner: known?.owner), mayBlame: mayBlame)
      }
      await self.releaseHeldEvents()
    }
  }

  private func started(_ outcome: StartOutcome, mayBlame: Bool = false) {
    startOutcome = outcome
    switch outcome {
    case .accepted: handle(.startAccepted)
    case .refused(let reason, _):
      let isAsked = provers.contains { $0.definition.proof == .refused && $0.prover.request.stage == .configureStream }
      isSuspect = mayBlame && mayBlameOthers && !isAsked && !linkIsDown
      handle(.startRefused(reason))
    case .notTried: break
    }
  }

  /// Sends what may be repeated, again after the control link was lost in between: not answered is not refused.
  private func ask(_ method: String, _ params: JSONValue, within limit: Duration) async throws -> JSONValue {
    let deadline = loop.now + limit
    while true {
      do {
        return try await environment.driver.call(method, params, timeout: deadline - loop.now)
      } catch {
        guard linkIsDown, !isOver, loop.now + CaseRun.askAgain < deadline else { throw error }
        try await loop.sleep(for: CaseRun.askAgain)
      }
    }
  }

  private func stop() {
    entry(.action(session.isCleaning ? HarnessAction.stopAsCleanUp : HarnessAction.stop))
    let request: JSONValue = ["run": .string(run)]
    loop.spawn {
      do {
        _ = try await self.ask("stop", request, within: .seconds(5))
      } catch {
        await self.entry(.note("stop was refused: \(error)"))
      }
    }
  }

  /// On a firmware bench the host is the station: join, then tell the device how it went. Where the device or its phone
  /// joins, a station of the harness's own joins beside it, as a witness.
  private func join(_ request: JoinRequest) {
    let faults = linkFaultsAtOnce
    guard request.by == .harness else {
      loop.spawn { [environment] in
        for fault in faults { _ = await fault.result }
        _ = await environment.link.join(request)
      }
      return
    }
    entry(.action(HarnessAction.join))
    let target = hello?.probe
    let run = run
    loop.spawn { [environment] in
      for fault in faults { _ = await fault.result }
      var fact = await environment.link.join(request)
      if fact == nil || fact?.kind == .linkJoined { fact = await environment.link.probe(target) }
      guard let fact else { return }
      switch fact.kind {
      case .linkJoined: break
      case .stationFailed: await self.received(fact)
      default: await self.observe(fact)
      }
      let joined = fact.kind == .linkJoined
      let error: JSONValue? = joined ? nil : ["domain": "harness", "code": 1, "message": .string(fact.detail)]
      _ = try? await self.ask(
        "linkResult", ["run": .string(run), "success": .bool(joined), "error": error], within: .seconds(5))
    }
  }

  private func proveLink() {
    let target = hello?.probe
    loop.spawn { [environment, loop] in
      let deadline = loop.now + CaseRun.linkPatience
      var fact = await environment.link.probe(target)
      for _ in 1..<CaseRun.linkAttempts where fact.kind != .linkJoined && loop.now < deadline {
        try await loop.sleep(for: CaseRun.linkRetry)
        fact = await environment.link.probe(target)
      }
      await self.received(fact)
    }
  }

  // MARK: Clean-up

  /// Watches until the port is closed, the wire quiet and the hotspot gone, or their limits have passed.
  private func proveClean() async {
    let began = loop.now
    let limit = session.limit(StageID.cleanUp.rawValue)
    let wait = limit > .zero ? limit : .seconds(10)
    async let port: Void = provePort(until: began + wait - .milliseconds(200))
    async let wire: Void = proveQuiet(until: began + session.limit("quiet-wire"))
    async let hotspot: Void = proveHotspotGone(until: began + wait - .milliseconds(200))
    _ = await (port, wire, hotspot)
  }

  private func provePort(until deadline: HostTime) async {
    guard let address = session.openedAddress, case .success(let end) = AddressRule.check(address) else {
      return received(Fact(.portClosed, by: .link, at: loop.now, detail: "no address was opened"))
    }
    await prove(until: deadline, wanted: .portClosed) { [environment] in
      await environment.link.probePort(host: end.host, port: end.port)
    }
  }

  private func proveHotspotGone(until deadline: HostTime) async {
    let target = hello?.probe
    await prove(until: deadline, wanted: .hotspotGone) { [environment] in await environment.link.probeGone(target) }
  }

  private func prove(
    until deadline: HostTime, wanted: FactKind, _ probe: @Sendable () async -> Fact
  ) async {
    var fact = await probe()
    while fact.kind != wanted, loop.now < deadline {
      try? await loop.sleep(for: CaseRun.cleanPoll)
      fact = await probe()
    }
    received(fact)
  }

  private func proveQuiet(until deadline: HostTime) async {
    guard let capture = environment.capture else {
      // Late events are still waited for.
      try? await loop.sleep(for: CaseRun.quietFor)
      return received(Fact(.wireQuiet, by: .rig, at: loop.now, detail: "not judged: \(environment.captureSkipped)"))
    }
    let began = loop.now
    var seen = await capture.mediaOnWire()
    while loop.now < deadline {
      let quietSince = max(seen.last ?? began, began)
      if loop.now - quietSince >= CaseRun.quietFor {
        return received(Fact(.wireQuiet, by: .capture, at: loop.now, detail: "no media for \(CaseRun.quietFor.text)"))
      }
      try? await loop.sleep(for: CaseRun.cleanPoll)
      seen = await capture.mediaOnWire()
    }
    let late = seen.last.map { "the last media packet came \(($0 - began).text) after the end" } ?? ""
    received(Fact(.wireBusy, by: .capture, at: loop.now, detail: "the wire is not quiet: \(late)"))
  }
}
