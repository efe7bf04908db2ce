import RigDevice
import RigDrivers
import RigEmulator
import RigFlow
import RigLoop
import RigModel
import RigReport
import RigRunner
import RigTestSupport
import RigWire
import Testing

/// A simulated device for each case, with what a test wants to be different about it.
// Unchecked: touched only on the loop's thread.
final class RunnerBench: CaseBench, @unchecked Sendable {
  let loop: Loop
  var profile = DeviceProfile.flagship
  /// The device answers `inject`, and does nothing of it: what a broken agent would do.
  var ignoresInject = false
  /// Cases that get no device.
  var withoutDevice: Set<String> = []
  /// Workers whose device can run no more cases, each with the reason.
  var unfit: [Int: String] = [:]
  /// What was done to the device before each case.
  var preparations: [RunRecord.Property] = []
  /// A kept device is brought back at the end of a case that lost it.
  var recoversLostControl = false
  /// One device serves all cases, as on a rig, and can be asked for its next start.
  var keepsDevice = false
  /// How a kept device refuses starts after the first so many; `nil`: it does not.
  var refusesStarts: (after: Int, StageLinkError.Code)?
  private var starts = 0
  /// A kept device refuses to be reset.
  var refusesReset = false
  /// How devices announce their hotspot; `nil`: they join by themselves.
  var notice: HotspotNotice?
  /// A link in front of the simulated one.
  var wrapLink: (any Link) -> any Link = { $0 }
  /// A driver in front of the device's.
  var wrapDriver: @Sendable (any DeviceDriver) -> any DeviceDriver = { $0 }
  /// A driver in front of the one that asks for the next start.
  var wrapNextStart: @Sendable (any DeviceDriver) -> any DeviceDriver = { $0 }
  /// Plays in the harness's place.
  var phone: (any PhoneWitness)?
  private var kept: (device: EmulatedDevice, world: SimulatedWorld, life: Task<Void, any Error>)?
  private(set) var devices: [String: EmulatedDevice] = [:]
  private(set) var openers: [String: BenchOpener] = [:]
  private(set) var workers: [String: Int] = [:]
  private(set) var isClosed = false
  /// Called before the first case.
  var prepare: @Sendable () async throws -> Void = {}
  /// Called when a case has its device.
  var equipped: (String) -> Void = { _ in }

  init(_ loop: Loop) { self.loop = loop }

  nonisolated(nonsending) func environment(for item: ScheduledCase, worker: Int) async throws -> CaseEnvironment {
    let id = item.planned.id
    if let reason = unfit[worker] { throw WorkerUnfit(reason) }
    guard !withoutDevice.contains(id) else { throw DriverError("no device for \(id)") }
    let (device, world, life) = keepsDevice ? kept ?? makeDevice(item.item.seed) : makeDevice(item.item.seed)
    if keepsDevice { kept = (device, world, life) }
    let opener = BenchOpener { channel in device.assumeIsolated { $0.accept(channel) } }
    devices[id] = device
    openers[id] = opener
    workers[id] = worker
    equipped(id)
    let driver: @Sendable () -> any DeviceDriver = { [loop, keepsDevice, ignoresInject, refusesReset] in
      BenchDriver(
        driver: StageLinkDriver(loop, opener) { "n\(opener.attempts)" }, life: keepsDevice ? nil : life,
        ignoresInject: ignoresInject, refusesReset: refusesReset, refusal: { self.refusal() })
    }
    let nextStart = NextStart(
      device: "kept", driver: { [wrapNextStart] in wrapNextStart(driver()) },
      recovery: RecoveryLadder(loop, [RecoveryLadder.agentReset(driver)], driver: driver),
      recoversLostControl: recoversLostControl)
    var environment = CaseEnvironment(
      deviceName: profile.model, host: "", driver: wrapDriver(driver()), link: wrapLink(SimulatedLink(world)),
      player: SimulatedPlayer(world), capture: nil, captureSkipped: "virtual time", files: NoFiles(),
      nextStart: keepsDevice ? nextStart : nil)
    environment.preparations = preparations
    environment.phone = phone
    return environment
  }

  private func makeDevice(_ seed: UInt64) -> (EmulatedDevice, SimulatedWorld, Task<Void, any Error>) {
    let world = SimulatedWorld(loop)
    let device = EmulatedDevice(
      loop, profile: profile, serial: "SIM", seed: seed, hotspot: SimulatedHotspot(world), media: SimulatedMedia(world),
      notice: notice)
    return (device, world, loop.spawn { try await device.live() })
  }

  private func refusal() -> StageLinkError? {
    starts += 1
    guard let (count, code) = refusesStarts, starts > count else { return nil }
    return StageLinkError(code)
  }

  func close() async {
    isClosed = true
    kept?.life.cancel()
  }
}

/// Ends the device with its driver, and swallows `inject` where a test wants that.
private struct BenchDriver: DeviceDriver {
  let driver: StageLinkDriver
  /// `nil`: the device outlives its driver.
  let life: Task<Void, any Error>?
  let ignoresInject: Bool
  let refusesReset: Bool
  /// Why a start is refused; asked once for each.
  let refusal: @Sendable () -> StageLinkError?

  func open(_ signal: @escaping @Sendable (DriverSignal) -> Void) async throws -> Hello {
    try await driver.open(signal)
  }
  func call(_ method: String, _ params: JSONValue, timeout: Duration) async throws -> JSONValue {
    if ignoresInject, method == "inject" { return ["id": "f1"] }
    if method == "start", let error = refusal() { throw error }
    if refusesReset, method == "reset" { throw StageLinkError(.unsupported) }
    return try await driver.call(method, params, timeout: timeout)
  }
  func close() async {
    await driver.close()
    life?.cancel()
  }
  func clockError() async -> Duration? { await driver.clockError() }
  func damagedCount() async -> Int { await driver.damagedCount() }
}

private struct NoFiles: CaseFiles {
  func append(_ line: String, to name: String) {}
  var artifacts: [Artifact] { [] }
  var problem: String? { nil }
}

/// What a run told.
// Unchecked: touched only on the loop's thread.
final class RunLog: @unchecked Sendable {
  private(set) var events: [RunEvent] = []
  func take(_ event: RunEvent) { events.append(event) }

  var records: [RunRecord] { events.compactMap { if case .caseEnded(let record) = $0 { record } else { nil } } }
  var journal: [String] { events.map { JournalLine.encode($0) } }
  func entries(_ caseID: String) -> [TimelineEntry.What] {
    events.compactMap { if case .entry(caseID, let entry) = $0 { entry.what } else { nil } }
  }
  var endedInterrupted: Bool? {
    for case .runEnded(_, let interrupted) in events { return interrupted }
    return nil
  }
}

enum Cases {
  static func plan(
    _ id: String = "case", faults: [FaultRequest] = [], failed: FailurePoint? = nil, reached: Gate? = nil,
    limits: [String: Duration] = [:], playFor: Duration = .seconds(1), needs: [String] = [],
    params: StreamParameters? = nil, strict: Bool = false
  ) -> Plan {
    Plan(
      id: id, title: id, flow: .rtspHotspot, needs: needs, params: params, playFor: playFor, limits: limits,
      faults: faults, expect: Expectation(failed: failed, reached: reached), strict: strict,
      position: SourcePosition(file: "\(id).yaml", line: 1, column: 1))
  }

  static func scheduled(_ plan: Plan, seed: UInt64 = 42, skipped: String? = nil) -> ScheduledCase {
    ScheduledCase(
      item: Case(id: plan.id, plan: plan, cell: [], seed: seed),
      planned: PlannedCase(
        id: plan.id, plan: plan.id, title: plan.title, flow: plan.flow, file: plan.position.file,
        stages: Flow.rtspHotspot.stages.map(\.id.rawValue)), skipped: skipped)
  }

  static func header(_ cases: [ScheduledCase]) -> RunHeader {
    RunHeader(
      id: "run", version: "0", startedAt: 0, origin: .zero, hostName: "virtual", seed: 42, time: .virtual,
      cases: cases.map(\.planned))
  }

  /// Runs cases in virtual time.
  static func run(
    _ cases: [ScheduledCase], jobs: Int = 1, failFast: Bool = false,
    _ arrange: @escaping @Sendable (RunnerBench, Runner) -> Void = { _, _ in }
  ) throws -> (log: RunLog, bench: RunnerBench, took: HostTime) {
    let loop = VirtualLoop()
    let log = RunLog()
    let bench = RunnerBench(loop)
    let header = header(cases)
    try loop.run {
      let runner = Runner(loop, header: header, cases: cases, bench: bench, jobs: jobs, failFast: failFast) {
        log.take($0)
      }
      arrange(bench, runner)
      await runner.run { try await bench.prepare() }
    }
    return (log, bench, loop.now)
  }

  static func record(
    _ plan: Plan, seed: UInt64 = 42, _ arrange: @escaping @Sendable (RunnerBench, Runner) -> Void = { _, _ in }
  ) throws -> RunRecord {
    let records = try run([scheduled(plan, seed: seed)], arrange).log.records
    return try #require(records.first)
  }
}
