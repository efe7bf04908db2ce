import RigChecks
import RigDevice
import RigFlow
public import RigLoop
public import RigModel
import RigReport
import RigWire

/// Runs one case: feeds the session state machine, performs its actions, and gathers what a verdict needs.
///
/// It holds no rules of its own: the flow's are in `Session`, the checks' in RigChecks, the verdict's in `Judge`.
public actor CaseRun {
  public nonisolated let loop: Loop
  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  let item: Case
  let planned: PlannedCase
  nonisolated let flow: Flow
  public nonisolated let run: String
  let environment: CaseEnvironment
  private let seal: @Sendable (RunRecord) -> RunRecord
  private let tell: @Sendable (RunEvent) -> Void
  private let started: HostTime
  var session: Session
  private var timer: TimerID?
  private var over: UnsafeContinuation<Void, Never>?
  private(set) var isOver = false
  /// The record is made: nothing is told of this case any more.
  private var isRecorded = false
  /// The reply to `start` is due, and what stands behind it on the wire must not overtake it.
  var isStarting = false
  private var held: [DeviceEvent] = []
  /// A device names one or two; each costs time with every text.
  private static let mostSecrets = 64
  private(set) var linkIsDown = false
  /// What was done to the device before and after the case.
  private(set) var treatments: [RunRecord.Property] = []

  // What the verdict rests on.
  var checks: FlowChecks
  var provers: [(prover: FaultProver, definition: FaultDefinition, announced: Bool)] = []
  var hello: Hello?
  var eventsSeen: Set<String> = []
  var eventsLost: Int64 = 0
  private(set) var allowance = Allowance()
  var summary: MediaSummary?
  var rigProblems: [String] = []
  var facts: [FactKind: HostTime] = [:]
  var skipReason: String?
  /// What the device said to this case's start.
  public enum StartOutcome: Sendable {
    case notTried
    case accepted
    /// With the run that the device says it is busy with.
    case refused(String, owner: String?)
  }
  public internal(set) var startOutcome = StartOutcome.notTried
  /// The start was refused, nothing in the plan explains it, and the case before may be to blame.
  public internal(set) var isSuspect = false
  let mayBlameOthers: Bool
  var outcome: (capture: CaptureOutcome?, clockError: Duration?, damaged: Int, ended: HostTime)?

  /// As the device claims it; only the reading of a number in the picture rests on it.
  private var counterModulus: Int?
  private var player: Task<Void, any Error>?
  /// Faults that the link performs: which prover waits for which token.
  var linkFaults: [(prover: Int, token: Int)] = []
  /// Those that begin with their stage: what the stage asks of the link waits for them.
  var linkFaultsAtOnce: [Task<Void, any Error>] = []
  /// The hotspot's name in octets, where the device says it so.
  private(set) var namedHotspotHex: String?
  /// Hides the keys that the device told.
  private var redactor = Redactor()
  private var keys: Set<String> = []
  /// Faults with a moment of their own that have begun.
  var begunFaults: [Int: HostTime] = [:]
  /// Who plays, and what comes only after the session.
  nonisolated let topology: Topology
  /// What is kept for when the phone's capture is there.
  var phone: PhoneCase
  /// Longer than any session: the stop comes by an action.
  private static let untilStopped = Duration.seconds(24 * 3600)

  /// - Parameters:
  ///   - run: an id that no other run of this device has had.
  ///   - mayBlameOthers: another case of the device waits for this one's start.
  ///   - seal: adds to the record what the case itself does not know.
  public init(
    _ loop: Loop, _ item: Case, planned: PlannedCase, flow: Flow, run: String, environment: CaseEnvironment,
    mayBlameOthers: Bool = false, seal: @escaping @Sendable (RunRecord) -> RunRecord = { $0 },
    emit: @escaping @Sendable (RunEvent) -> Void
  ) {
    self.loop = loop
    self.item = item
    self.planned = planned
    self.flow = flow
    self.run = run
    self.environment = environment
    self.seal = seal
    tell = emit
    self.mayBlameOthers = mayBlameOthers
    started = loop.now
    topology =
      environment.phone == nil ? .harness : .phone(seesJoin: environment.link.isWitness)
    phone = PhoneCase(flow, topology)
    session = Session(
      flow: flow.driven(in: topology),
      setup: Session.Setup(
        run: run, limits: item.plan.limits,
        // A stop of its own comes instead of the one after the play time.
        playFor: item.plan.stop == nil ? item.plan.playFor : CaseRun.untilStopped))
    checks = FlowChecks(FlowContext(flow: flow, run: run, strict: item.plan.strict))
    for request in item.plan.faults {
      guard let definition = FaultCatalog.definition(of: request, in: item.plan.flow) else { continue }
      provers.append((FaultProver(request, definition, flow: flow, run: run), definition, false))
    }
  }

  /// Runs the case to its end; what remains is `settle`.
  public func execute() async {
    emit(.caseStarted(caseID: planned.id, device: environment.deviceName, at: started))
    for preparation in environment.preparations { treated(preparation.name, preparation.value) }
    await watchLink()
    await beginPhone()
    handle(.begin)
    let preflight = loop.spawn { await self.preflight() }
    await withUnsafeContinuation { (k: UnsafeContinuation<Void, Never>) in if isOver { k.resume() } else { over = k } }
    _ = await preflight.result
    _ = await player?.result
    await environment.player.close()
    await proveLinkFaults()
    _ = try? await environment.driver.call("clear", [:], timeout: .seconds(2))
    let clockError = await environment.driver.clockError()
    let damaged = await environment.driver.damagedCount()
    await environment.driver.close()
    let capture = await environment.capture?.finish()
    outcome = (capture, clockError, damaged, loop.now)
    await hearPhone()
  }

  /// Makes the record, and tells it.
  /// - Parameter nextStart: whether the device took a start after this case; `nil`: it was not tried.
  public func settle(_ nextStart: Fact?) -> RunRecord {
    if let nextStart {
      observe(nextStart)
      if nextStart.kind == .nextStartRefused { session.nextStartRefused(nextStart.detail) }
    }
    let outcome = outcome ?? (nil, nil, 0, loop.now)
    let record = seal(
      conclude(
        capture: outcome.capture, clockError: outcome.clockError, damaged: outcome.damaged, started: started,
        ended: outcome.ended))
    isRecorded = true
    emit(.caseEnded(record))
    return record
  }

  /// Ends the session as soon as possible, with clean-up; the record is complete for what ran.
  public func abort(_ reason: String) {
    entry(.note("aborted"))
    // A session that is over, but not proven clean, is no pass.
    if session.isCleaning { rigProblems.append(reason) }
    handle(.abort(.rig, reason))
  }

  /// Notes what was done to the device, in the timeline and among the record's properties.
  func treated(_ name: String, _ text: String) {
    entry(.note("\(name): \(text)"))
    treatments.append(RunRecord.Property(name, text))
  }

  /// The boot under which the case knew the device.
  var boot: String? { hello?.boot }

  // MARK: Preflight

  private func preflight() async {
    do {
      let hello = try await environment.driver.open { [weak self] signal in
        guard let self else { return }
        self.loop.post { self.assumeIsolated { $0.received(signal) } }
      }
      self.hello = hello
      session.agentIsSubject = hello.underTest
      if let reason = unusable(hello) { return handle(.preflightFailed(reason)) }
      for fault in provers where fault.definition.layer != .link && fault.prover.request.moment == nil {
        try await inject(fault.prover.request)
      }
      let state = try await environment.driver.call("state", [:], timeout: .seconds(5))
      if state["ready"]?["ok"]?.bool == false {
        let reasons = state["ready"]?["reasons"]?.array?.compactMap(\.string) ?? []
        return handle(.preflightFailed("the device is not ready: \(reasons.joined(separator: ", "))"))
      }
      handle(.preflightPassed)
    } catch {
      handle(.preflightFailed("\(error)"))
    }
  }

  /// Why this device cannot run the case; `nil`: it can.
  private func unusable(_ hello: Hello) -> String? {
    let missing = item.plan.needs.filter { !hello.capabilities.contains($0) }
    if !missing.isEmpty {
      skipReason = "the device lacks \(missing.joined(separator: ", "))"
      return skipReason
    }
    for fault in provers {
      guard let capability = fault.definition.capability, !hello.capabilities.contains(capability.rawValue) else {
        continue
      }
      skipReason = "the device lacks \(capability.rawValue): \(fault.prover.request.text) needs \(capability.need)"
      return skipReason
    }
    if !hello.ready { return "the device is not ready: \(hello.notReadyReasons.joined(separator: ", "))" }
    if !hello.flows.contains(flow.id.rawValue) { return "the device does not know the flow \(flow.id.rawValue)" }
    if flow.id == .rtspHotspot, !hello.capabilities.contains("rtsp") {
      return "the device does not support RTSP live streaming"
    }
    return outOfRange(hello)
  }

  /// A value outside a range that the device publishes is refused before the device sees it.
  private func outOfRange(_ hello: Hello) -> String? {
    guard let params = item.plan.params else { return nil }
    let values = [
      ("bitrate", Double(params.bitrate.bitsPerSecond) / 1e6), ("qualityFactor", Double(params.qualityFactor)),
      ("iFrameInterval", Double(params.iFrameInterval)),
    ]
    for (name, value) in values {
      // A bit rate of 0 is the device's default.
      guard let range = hello.ranges[name], !range.contains(value), !(name == "bitrate" && value == 0) else { continue }
      return "\(name) \(Decimal3(value)) is outside the device's range "
        + "\(Decimal3(range.lowerBound))…\(Decimal3(range.upperBound))"
    }
    return nil
  }

  /// - Parameter at: where the device is to act; `nil`: at the fault's stage.
  func inject(_ request: FaultRequest, as name: String? = nil, at place: JSONValue? = nil) async throws {
    let arguments = request.arguments.sorted { $0.key < $1.key }.map { JSONValue.Member($0.key, $0.value.json) }
    let params: JSONValue = [
      "fault": .string(name ?? request.verb), "at": place ?? ["stage": .string(request.stage.rawValue)],
      "args": .object(arguments), "ttlMs": request.lasting.map { .integer($0.nanoseconds / 1_000_000) },
    ]
    do {
      let reply = try await environment.driver.call("inject", params, timeout: .seconds(5))
      entry(.faultArmed(request.text, id: reply["id"]?.string ?? ""))
    } catch let error as StageLinkError {
      throw DriverError("the device cannot inject \(request.text): \(error)")
    }
  }

  // MARK: Input

  private func received(_ signal: DriverSignal) {
    switch signal {
    case .event(let event):
      learn(event)
      guard !isStarting || session.isCleaning || isOver else {
        if keeps(.early) { held.append(event) }
        return
      }
      if event.name == "x.encoder.first" { counterModulus = event.data["counterModulus"]?.integer.map { Int($0) } }
      if !event.isClaim, event.run == nil || event.run == run { eventsSeen.insert(event.name) }
      // The session gets all of them; a reader, and the checks, as many as a file can hold.
      if keeps(.events) { entry(.event(event), at: event.received) }
      handle(.event(event))
    case .deviceLog(let bytes):
      // A short line costs as much as a longer one.
      guard keeps(.log, max(bytes.count, 64)) else { return }
      let text = redactor.redact(String(decoding: bytes, as: UTF8.self))
      environment.files.append(text, to: "device.log")
      entry(.deviceLog(text))
    case .controlLost(let reason):
      linkIsDown = true
      observe(Fact(.controlLost, by: .control, at: loop.now, detail: reason))
      handle(.controlLost(reason))
    case .controlBack:
      linkIsDown = false
      observe(Fact(.controlBack, by: .control, at: loop.now))
      handle(.controlBack)
    case .rebooted(let from, let to):
      let detail = "boot \(from) became \(to)"
      observe(Fact(.rebooted, by: .control, at: loop.now, detail: detail))
      handle(.rebooted(detail))
    case .eventsLost(let count):
      eventsLost += count
      entry(.note("\(count) events were lost on the control link"))
    case .damaged(let why):
      guard keeps(.damage) else { return }
      entry(.note("damaged record on the control link: \(why)"))
    case .fact(let fact): observe(fact)
    }
  }

  /// Whether so much more of what the device sends is kept; says it once where it is not.
  private func keeps(_ kind: Allowance.Kind, _ amount: Int = 1) -> Bool {
    let isFirst = allowance.dropped[kind] == nil
    if allowance.takes(kind, amount) { return true }
    if isFirst { entry(.note("\(kind.text) are kept of a case: what follows is not")) }
    return false
  }

  /// The key of a hotspot, and the password in an address, are secrets as soon as they are known: no report, log or
  /// message may hold them.
  private func learn(_ event: DeviceEvent) {
    let before = keys.count
    guard before < CaseRun.mostSecrets else { return }
    if event.name == "connectDeviceHotspotStarting" {
      namedHotspotHex = event.data["ssidHex"]?.string
      if let key = event.data["join"]?["key"]?.string { keys.insert(key) }
    }
    if event.name == "rtspAddressReceived", let address = event.data["address"]?.string {
      // What is no URL is refused; reports hide credentials in whatever looks like one.
      if let password = try? RTSPURL(parsing: address).password, !password.isEmpty { keys.insert(password) }
    }
    if keys.count > before { redactor = Redactor(secrets: keys.sorted()) }
  }

  private func emit(_ event: RunEvent) { tell(keys.isEmpty ? event : redactor.redact(event)) }

  func received(_ signal: MediaSignal) {
    switch signal {
    case .fact(let fact): received(fact)
    case .line(let line): environment.files.append(line, to: "media.jsonl")
    case .frames: break
    case .summary(let summary): self.summary = summary
    case .helperFailed(let reason):
      rigProblems.append(reason)
      entry(.note(reason))
      handle(.abort(.rig, reason))
    }
  }

  /// A fact is on the timeline before anything follows from it.
  func observe(_ fact: Fact) {
    if facts[fact.kind] == nil { facts[fact.kind] = fact.time }
    entry(.fact(fact), at: fact.time)
  }

  func handle(_ input: Session.Input) {
    if topology.player == .phone { phone.log.note(input, at: loop.now) }
    let actions = session.handle(input, at: loop.now)
    for action in actions { perform(action) }
    schedule()
    if session.isCleaning { releaseHeldEvents() }
  }

  func releaseHeldEvents() {
    isStarting = false
    let events = held
    held = []
    for event in events { received(.event(event)) }
  }

  private func schedule() {
    if let timer { loop.cancel(timer) }
    timer = nil
    guard let deadline = session.nextDeadline else { return }
    timer = loop.schedule(at: deadline) { [weak self] in
      guard let self else { return }
      self.assumeIsolated { $0.handle(.tick) }
    }
  }

  func entry(_ what: TimelineEntry.What, at time: HostTime? = nil) {
    guard !isRecorded else { return }
    let entry = TimelineEntry(time ?? loop.now, what)
    emit(.entry(caseID: planned.id, entry))
    // Checks and proofs want the order of time, which is known once the phone has been heard.
    if phone.isWaiting { phone.keep(entry) } else { weigh(entry) }
  }

  /// Shows an entry to the checks, and to those who look for the proof of a fault.
  func weigh(_ entry: TimelineEntry) {
    checks.see(entry)
    for i in provers.indices where mayProve(i, entry) {
      provers[i].prover.see(entry)
      announce(i)
    }
  }

  /// Says once that a fault is proven.
  func announce(_ i: Int) {
    guard !provers[i].announced, let proof = provers[i].prover.proven else { return }
    provers[i].announced = true
    let fired = TimelineEntry(loop.now, .faultFired(provers[i].prover.request.text, proof: proof))
    emit(.entry(caseID: planned.id, fired))
    mark("fault \(provers[i].prover.request.text)")
  }

  func mark(_ text: String, at time: HostTime? = nil) {
    let time = time ?? loop.now
    if phone.isWaiting { return phone.marks.append((time, text)) }
    guard let capture = environment.capture else { return }
    loop.spawn { await capture.mark(text, at: time) }
  }

  func finishSession() {
    isOver = true
    over?.resume()
    over = nil
  }

  func play(_ url: String) {
    let transport = item.plan.transport
    let modulus = counterModulus
    player = loop.spawn { [environment] in
      await environment.player.open(url, transport: transport, counterModulus: modulus) { [weak self] signal in
        guard let self else { return }
        self.loop.post { self.assumeIsolated { $0.received(signal) } }
      }
    }
  }
}

extension FaultArgument {
  /// As `inject` carries it: durations in milliseconds.
  var json: JSONValue {
    switch self {
    case .duration(let d): .integer(d.nanoseconds / 1_000_000)
    case .integer(let i): .integer(i)
    case .text(let s): .string(s)
    case .flag(let b): .bool(b)
    case .percent(let p): .number(p.fraction)
    case .bitRate(let r): .integer(r.bitsPerSecond)
    }
  }
}
