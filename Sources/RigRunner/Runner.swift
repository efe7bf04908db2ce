import RigFlow
public import RigLoop
public import RigModel

/// A case in the schedule, with what the reports call it.
public struct ScheduledCase: Sendable {
  public var item: Case
  public var planned: PlannedCase
  /// Why it is not run; `nil`: it is.
  public var skipped: String?
  /// The number of the (first) attempt: more than 1 where an earlier run made some.
  public var attempt: Int
  public init(item: Case, planned: PlannedCase, skipped: String? = nil, attempt: Int = 1) {
    self.item = item
    self.planned = planned
    self.skipped = skipped
    self.attempt = attempt
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
  private let today: CalendarDate?
  private let emit: @Sendable (RunEvent) -> Void
  private var next = 0
  private var running: [CaseRun] = []
  private var stopReason: String?
  private var interrupted = false
  /// Cases with an attempt that did not pass, while others are to follow.
  private var failing: Set<String> = []

  /// - Parameter today: decides which quarantines have run out; `nil`: none has.
  public init(
    _ loop: Loop, header: RunHeader, cases: [ScheduledCase], bench: any CaseBench, jobs: Int, failFast: Bool,
    today: CalendarDate? = nil, emit: @escaping @Sendable (RunEvent) -> Void
  ) {
    self.loop = loop
    self.header = header
    self.cases = cases
    self.bench = bench
    self.jobs = max(1, jobs)
    self.failFast = failFast
    self.today = today
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
    var pending: [String: PendingCases] = [:]
    var probes: [String: NextStart] = [:]
    while let scheduled = take() {
      await executeAll(scheduled, worker, &pending, &probes)
      // Nobody may be waiting for the next case if there is to be none.
      if failFast { await probeAll(&pending, probes) }
    }
    await probeAll(&pending, probes)
  }

  /// Runs a case, again and again if its plan says so.
  private func executeAll(
    _ scheduled: ScheduledCase, _ worker: Int, _ pending: inout [String: PendingCases],
    _ probes: inout [String: NextStart]
  ) async {
    let attempts = CaseAttempts(scheduled, began: loop.now, today: today)
    var current = attempts.attempt(scheduled.attempt)
    while true {
      await execute(current, attempts, worker, &pending, &probes)
      if attempts.endsAtFailure {
        for (device, waiting) in pending {
          for record in await waiting.settle(nil) { note(record) }
          pending[device] = nil
        }
      }
      guard stopReason == nil, let next = attempts.next() else { return }
      current = next
    }
  }

  private func execute(
    _ scheduled: ScheduledCase, _ attempts: CaseAttempts, _ worker: Int, _ pending: inout [String: PendingCases],
    _ probes: inout [String: NextStart]
  ) async {
    if let reason = scheduled.skipped { return finish(scheduled, attempts, .skip, reason) }
    do {
      let environment = try await bench.environment(for: scheduled, worker: worker)
      let device = environment.nextStart?.device
      let run = await perform(
        scheduled, attempts, environment, isAgain: false, isWatched: device.map { pending[$0] != nil } ?? false)
      guard let device, let nextStart = environment.nextStart else {
        note(await run.settle(nil))
        return
      }
      probes[device] = nextStart
      if await run.isSuspect, let second = try await recover(scheduled, attempts, worker, run, nextStart, &pending) {
        probes[second.next.device] = second.next
        pending[second.next.device, default: PendingCases()].add(second.run)
        return
      }
      switch await run.startOutcome {
      case .accepted:
        let fact = Fact(
          .nextStartAccepted, by: .control, at: loop.now, detail: "the start of \(scheduled.planned.id) was accepted")
        for record in await pending.removeValue(forKey: device)?.settle(fact) ?? [] { note(record) }
        pending[device] = PendingCases()
        pending[device]?.add(run)
      case .refused, .notTried:
        // It began nothing, so there is nothing of it to clean up; what it says of the case before was looked at.
        note(await run.settle(nil))
      }
    } catch {
      finish(scheduled, attempts, .error, "\(error)")
    }
  }

  private func perform(
    _ scheduled: ScheduledCase, _ attempts: CaseAttempts, _ environment: CaseEnvironment, isAgain: Bool, isWatched: Bool
  ) async -> CaseRun {
    let number = scheduled.attempt
    let id = Runner.runID(scheduled.item, header.seed)
    let run = CaseRun(
      loop, scheduled.item, planned: scheduled.planned, flow: FlowCatalog.flow(scheduled.item.plan.flow),
      run: isAgain ? "\(id).1" : id, environment: environment, mayBlameOthers: isWatched,
      seal: { attempts.seal($0, attempt: number) }, emit: emit)
    running.append(run)
    if let stopReason { loop.spawn { await run.abort(stopReason) } }
    await run.execute()
    attempts.ran(number, at: loop.now)
    running.removeAll { $0 === run }
    return run
  }

  // MARK: The next start

  /// A start was refused, and nothing in its plan explains that. Once the device was brought back and takes the same
  /// start, the case before is to blame, and this one is not; if it still refuses, this one has failed by itself.
  /// - Returns: the case run again, where its start was accepted then.
  private func recover(
    _ scheduled: ScheduledCase, _ attempts: CaseAttempts, _ worker: Int, _ suspect: CaseRun, _ nextStart: NextStart,
    _ pending: inout [String: PendingCases]
  ) async throws -> (run: CaseRun, next: NextStart)? {
    guard case .refused(let reason, let owner) = await suspect.startOutcome, stopReason == nil else { return nil }
    let step: String
    do { step = try await nextStart.recovery.climb() } catch {
      emit(.entry(caseID: scheduled.planned.id, TimelineEntry(loop.now, .note("recovery failed: \(error)"))))
      return nil
    }
    emit(.entry(caseID: scheduled.planned.id, TimelineEntry(loop.now, .note("recovered by \(step), started again"))))
    let environment = try await bench.environment(for: scheduled, worker: worker)
    let second = await perform(scheduled, attempts, environment, isAgain: true, isWatched: false)
    guard case .accepted = await second.startOutcome, let next = environment.nextStart else { return nil }
    let fact = Fact(
      .nextStartRefused, by: .control, at: loop.now,
      detail: "the next start (\(scheduled.planned.id)) was refused: \(reason); after \(step) it was accepted")
    for record in await pending.removeValue(forKey: nextStart.device)?.settle(fact, owner: owner) ?? [] { note(record) }
    return (second, next)
  }

  /// No case will tell any more: one start that nobody needs tells for each device.
  private func probeAll(_ pending: inout [String: PendingCases], _ probes: [String: NextStart]) async {
    for (device, _) in pending.sorted(by: { $0.key < $1.key }) {
      let waiting = pending.removeValue(forKey: device) ?? PendingCases()
      guard let last = waiting.runs.last else { continue }
      let answer =
        !interrupted
        ? await probes[device]?.probe(loop, flow: last.flow.id, run: "\(last.run).next") : nil
      for record in await waiting.settle(answer?.fact, owner: answer?.owner) { note(record) }
    }
  }

  private func note(_ record: RunRecord) {
    if record.verdict == .fail || record.verdict == .error, record.quarantine == nil {
      failing.insert(record.planned.id)
    }
    if failFast, !record.isFollowed, failing.contains(record.planned.id), stopReason == nil {
      stopReason = "--fail-fast: \(record.planned.id) did not pass"
    }
  }

  /// A record of a case that never met a device.
  private func finish(_ scheduled: ScheduledCase, _ attempts: CaseAttempts, _ verdict: Verdict, _ reason: String) {
    let now = loop.now
    emit(.caseStarted(caseID: scheduled.planned.id, device: "none", at: now))
    let record = attempts.seal(
      RunRecord(
        planned: scheduled.planned, device: "none", seed: scheduled.item.seed, started: now, ended: now,
        verdict: verdict, reason: reason, expectation: scheduled.item.plan.expect,
        failurePoint: verdict == .error ? .rig : nil,
        stages: scheduled.planned.stages.map { StageRecord(id: $0, outcome: .blocked, reason: reason) }),
      attempt: scheduled.attempt, hasDevice: false)
    emit(.caseEnded(record))
    note(record)
  }

  /// An id that differs from case to case and from run to run, so that a device never takes one for another.
  private static func runID(_ item: Case, _ seed: UInt64) -> String { "r" + String(item.seed ^ (seed << 1), radix: 36) }
}
