import RigFlow
import RigLoop
import RigModel
import RigWire

extension EmulatedDevice {
  /// The reply to a request; `nil` where a fault swallows it.
  func answer(_ method: String, _ params: JSONValue) async -> Result<JSONValue, StageLinkError>? {
    switch method {
    case "hello": hello(params)
    case "start": await start(params)
    case "stop": await stop(params)
    case "inject": await inject(params)
    case "clear": await clear(params)
    case "linkResult": takeLinkResult(params)
    case "state": await state()
    case "events": events(params)
    case "faults": faultPage(params)
    case "ping": .success(["d1": .integer(deviceTime), "d2": .integer(deviceTime)])
    case "echo": echo(params)
    case "log":
      .success(
        logPage(since: Int(params["since"]?.integer ?? 0), most: Int(params["max"]?.integer ?? 20)))
    case "reset": await reset(params)
    default: .failure(StageLinkError(.methodNotFound, method))
    }
  }

  private func hello(_ params: JSONValue) -> Result<JSONValue, StageLinkError> {
    guard params["v"]?.array?.contains(.integer(1)) == true else {
      return .failure(StageLinkError(.version, data: ["v": [1]]))
    }
    guard let nonce = params["nonce"]?.string else { return .failure(StageLinkError(.invalidParams, "nonce")) }
    let hello = Hello(
      nonce: nonce, boot: boot, agentName: "streamrig-emulator", agentVersion: "1", role: .emulator,
      underTest: profile.isUnderTest,
      model: profile.model, serial: serial, firmware: profile.firmware, build: "emulated", flows: profile.flows,
      capabilities: profile.capabilities + (plug == nil ? [] : [FaultDefinition.Capability.usb.rawValue]),
      faults: FaultDefinition.Layer.allCases.map(\.rawValue),
      recordLimit: framing.limit, ranges: profile.hidesRanges ? [:] : profile.ranges, ready: notReadyReasons.isEmpty,
      notReadyReasons: notReadyReasons, probe: .init(host: hotspot.probe.host, port: hotspot.probe.port))
    return .success(hello.json)
  }

  private var notReadyReasons: [String] { faults.contains { $0.verb == "not-ready" } ? ["worn"] : [] }

  /// The harness asks for it last before a start.
  private func state() async -> Result<JSONValue, StageLinkError>? {
    if run == nil, await disturbPlug(at: .preflight) { return nil }
    return .success(stateReport)
  }

  private var stateReport: JSONValue {
    [
      "state": .string(state.rawValue), "run": run.map { .string($0) } ?? .null,
      "seq": .integer(ring.nextSequence - 1),
      "ready": ["ok": .bool(notReadyReasons.isEmpty), "reasons": .list(notReadyReasons)],
    ]
  }

  private func events(_ params: JSONValue) -> Result<JSONValue, StageLinkError> {
    guard let since = params["since"]?.integer, since >= 0 else {
      return .failure(StageLinkError(.invalidParams, "since"))
    }
    return .success(ring.page(since: since, limit: framing.limit))
  }

  private func faultPage(_ params: JSONValue) -> Result<JSONValue, StageLinkError> {
    let verbs = FaultCatalog.all.filter { $0.capability != .usb || plug != nil }.map {
      "\($0.layer.rawValue) \($0.verb)"
    }
    let from = Int(max(0, min(params["from"]?.integer ?? 0, Int64(verbs.count))))
    // As many as fit a record beside the reply's own members.
    var room = framing.limit - 160
    let page = verbs.dropFirst(from).prefix { verb in
      room -= verb.utf8.count + 3
      return room >= 0
    }
    return .success([
      "faults": .list(Array(page)), "next": .integer(Int64(from + page.count)),
      "more": .bool(from + page.count < verbs.count),
    ])
  }

  private func echo(_ params: JSONValue) -> Result<JSONValue, StageLinkError> {
    guard let length = params["len"]?.integer, length >= 0 else {
      return .failure(StageLinkError(.invalidParams, "len"))
    }
    // The reply must fit a record.
    guard length <= Int64(framing.limit - 64) else {
      return .failure(StageLinkError(.tooLarge, data: ["most": .integer(Int64(framing.limit - 64))]))
    }
    return .success(["data": .string(String(repeating: "e", count: Int(length)))])
  }

  private func takeLinkResult(_ params: JSONValue) -> Result<JSONValue, StageLinkError> {
    guard notice.harnessJoins else { return .failure(StageLinkError(.badState, "this device joins by itself")) }
    guard let success = params["success"]?.bool else { return .failure(StageLinkError(.invalidParams, "success")) }
    guard let run, params["run"]?.string == run else { return .failure(StageLinkError(.badState, "no such run")) }
    // An error's text goes back in an event, which must fit a record.
    let error = params["error"].flatMap { error -> DeviceError? in
      guard case .object = error else { return nil }
      return DeviceError(
        domain: String((error["domain"]?.string ?? "").unicodeScalars.prefix(64)), code: error["code"]?.integer ?? 0,
        message: String((error["message"]?.string ?? "").unicodeScalars.prefix(256)))
    }
    linkResult = (success, error)
    return .success(["accepted": true])
  }

  // MARK: Start and stop

  private func start(_ request: JSONValue) async -> Result<JSONValue, StageLinkError>? {
    guard let wanted = request["run"]?.string, !wanted.isEmpty, wanted.utf8.count <= 64 else {
      return .failure(StageLinkError(.invalidParams, "run"))
    }
    if wanted == run { return .success(["accepted": true]) }
    if let run { return .failure(StageLinkError(.busy, data: ["owner": .string(run)])) }
    guard request["flow"]?.string == FlowID.rtspHotspot.rawValue else { return .failure(StageLinkError(.unsupported)) }
    guard profile.capabilities.contains("rtsp") else {
      return .failure(StageLinkError(.unsupported, "no RTSP live streaming"))
    }
    // The request is heard and never answered.
    if take("hang", at: .configureStream) != nil { return nil }
    if await disturbPlug(at: .configureStream) { return nil }
    guard notReadyReasons.isEmpty else {
      return .failure(StageLinkError(.notReady, data: ["reasons": .list(notReadyReasons)]))
    }
    if take("busy", at: .configureStream) != nil {
      return .failure(StageLinkError(.busy, data: ["owner": "another app"]))
    }
    if let fault = take("refuse", at: .configureStream) {
      return .failure(StageLinkError(.hardware, fault.text("message") ?? "camera not available"))
    }
    switch parameters(request["params"]) {
    case .failure(let error): return .failure(error)
    case .success(let params): self.params = params
    }
    if let owner = request["ownerTimeoutMs"]?.integer { ownerTimeout = .milliseconds(max(1000, min(owner, 600_000))) }
    await repairLeaks()
    run = wanted
    runBegan = loop.now
    state = .starting
    starts += 1
    let task = loop.spawn { try await self.runFlow() }
    flowTasks = [task]
    for fault in faults { watch(fault) }
    return .success(["accepted": true])
  }

  private func parameters(_ json: JSONValue?) -> Result<StreamParameters?, StageLinkError> {
    guard let json, json.string != "default" else { return .success(nil) }
    func value(_ name: String) -> Result<Double, StageLinkError> {
      guard let v = json[name]?.double else { return .failure(StageLinkError(.badParam, "\(name) is missing")) }
      guard let range = profile.ranges[name], v != 0, !range.contains(v) else { return .success(v) }
      return .failure(
        StageLinkError(
          .badParam, name,
          data: ["param": .string(name), "range": [.number(range.lowerBound), .number(range.upperBound)]]))
    }
    do {
      return .success(
        StreamParameters(
          bitrate: BitRate(bitsPerSecond: Int64(try value("bitrate").get() * 1e6)),
          qualityFactor: Int(try value("qualityFactor").get()),
          iFrameInterval: Int(try value("iFrameInterval").get())))
    } catch { return .failure(error) }
  }

  private func stop(_ request: JSONValue) async -> Result<JSONValue, StageLinkError>? {
    guard let wanted = request["run"]?.string else { return .failure(StageLinkError(.invalidParams, "run")) }
    guard wanted == run else {
      // The same stop twice is no error; another run's is.
      return wanted == lastRun
        ? .success(["accepted": true]) : .failure(StageLinkError(.badState, "no such run"))
    }
    guard state != .stopping else { return .success(["accepted": true]) }
    if await disturbPlug(at: .finish) { return nil }
    if take("ignore-stop", at: .finish) != nil { return .success(["accepted": true]) }
    state = .stopping
    cancelFlow()
    let task = loop.spawn {
      try await self.loop.sleep(for: await self.draw(self.profile.pace.stop))
      await self.endRun(byUser: true, error: nil)
    }
    flowTasks = [task]
    return .success(["accepted": true])
  }

  func cancelFlow() {
    for task in flowTasks { task.cancel() }
    flowTasks = []
  }

  private func reset(_ request: JSONValue) async -> Result<JSONValue, StageLinkError> {
    guard let level = request["level"]?.string, ["agent", "device"].contains(level) else {
      return .failure(StageLinkError(.badParam, data: ["range": ["agent", "device"]]))
    }
    guard !profile.refusesReset else {
      return .failure(StageLinkError(.unsupported, "this agent cannot reset the device"))
    }
    let task = loop.spawn {
      // The reply leaves before the link goes down.
      try await self.loop.sleep(for: .milliseconds(20))
      await self.reboot()
    }
    flowTasks.append(task)
    return .success(["accepted": true])
  }
}
