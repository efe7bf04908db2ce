import RigFlow
public import RigLoop
public import RigModel

/// A case in the schedule, with what the reports call it.
public struct ScheduledCase: Sendable {
  public var item: Case
  public var planned: PlannedCase
  /// Why it is not run; `nil`: it is.
  public var skipped: String?
  public init(item: Case, planned: PlannedCase, skipped: String? = nil) {
    self.item = item
    self.planned = planned
    self.skipped = skipped
  }
}

/// Gives each case what it needs: a device of its own, a link, a witness for the media, a capture, a folder.
public protocol CaseBench: Sendable {
  /// - Parameter worker: 0-based; a worker runs one case at a time, so it may keep a device between cases.
  /// - Throws: why the rig cannot provide it; the case ends with verdict error, and others go on.
  func environment(for item: ScheduledCase, worker: Int) async throws -> CaseEnvironment
  /// All cases are over, or the run was interrupted.
  func close() async
}

/// Executes a schedule: a few workers take case after case. What happens is told to `emit`; reports hang on it.
public actor Runner {
  public nonisolated let loop: Loop
  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  private let header: RunHeader
  private let cases: [ScheduledCase]
  private let bench: any CaseBench
  private let jobs: Int
  private let failFast: Bool
  private let emit: @Sendable (RunEvent) -> Void
  private var next = 0
  private var running: [CaseRun] = []
  private var stopReason: String?
  private var interrupted = false

  public init(
    _ loop: Loop, header: RunHeader, cases: [ScheduledCase], bench: any CaseBench, jobs: Int, failFast: Bool,
    emit: @escaping @Sendable (RunEvent) -> Void
  ) {
    self.loop = loop
    self.header = header
    self.cases = cases
    self.bench = bench
    self.jobs = max(1, jobs)
    self.failFast = failFast
    self.emit = emit
  }

  public func run() async {
    emit(.runStarted(header))
    await withTaskGroup(of: Void.self) { group in
      for worker in 0..<min(jobs, max(1, cases.count)) {
        group.addTask(executorPreference: loop) { await self.work(worker) }
      }
    }
    await bench.close()
    emit(.runEnded(at: loop.now, interrupted: interrupted))
  }

  /// Ends running sessions, with clean-up, and starts no more cases.
  public func interrupt(_ reason: String) async {
    guard !interrupted else { return }
    interrupted = true
    stopReason = reason
    for run in running { await run.abort(reason) }
  }

  private func take() -> ScheduledCase? {
    guard stopReason == nil, next < cases.count else { return nil }
    next += 1
    return cases[next - 1]
  }

  private func work(_ worker: Int) async {
    while let scheduled = take() {
      let record = await execute(scheduled, worker)
      if failFast, record.verdict == .fail || record.verdict == .error, stopReason == nil {
        stopReason = "--fail-fast: \(scheduled.planned.id) did not pass"
      }
    }
  }

  private func execute(_ scheduled: ScheduledCase, _ worker: Int) async -> RunRecord {
    if let reason = scheduled.skipped { return finish(scheduled, device: "none", .skip, reason) }
    let environment: CaseEnvironment
    do {
      environment = try await bench.environment(for: scheduled, worker: worker)
    } catch {
      return finish(scheduled, device: "none", .error, "\(error)")
    }
    let run = CaseRun(
      loop, scheduled.item, planned: scheduled.planned, flow: FlowCatalog.flow(scheduled.item.plan.flow),
      run: Runner.runID(scheduled.item, header.seed), environment: environment, emit: emit)
    running.append(run)
    if let stopReason { loop.spawn { await run.abort(stopReason) } }
    let record = await run.execute()
    running.removeAll { $0 === run }
    return record
  }

  /// A record of a case that never met a device.
  private func finish(_ scheduled: ScheduledCase, device: String, _ verdict: Verdict, _ reason: String) -> RunRecord {
    let now = loop.now
    emit(.caseStarted(caseID: scheduled.planned.id, device: device, at: now))
    let record = RunRecord(
      planned: scheduled.planned, device: device, seed: scheduled.item.seed, started: now, ended: now,
      verdict: verdict, reason: reason, expectation: scheduled.item.plan.expect,
      failurePoint: verdict == .error ? .rig : nil,
      stages: scheduled.planned.stages.map { StageRecord(id: $0, outcome: .blocked, reason: reason) })
    emit(.caseEnded(record))
    return record
  }

  /// An id that differs from case to case and from run to run, so that a device never takes one for another.
  private static func runID(_ item: Case, _ seed: UInt64) -> String { "r" + String(item.seed ^ (seed << 1), radix: 36) }
}
