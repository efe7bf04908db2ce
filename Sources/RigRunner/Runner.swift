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
  /// The workers whose device can run it; `nil`: all.
  public var workers: Set<Int>?
  public init(
    item: Case, planned: PlannedCase, skipped: String? = nil, attempt: Int = 1, workers: Set<Int>? = nil
  ) {
    self.item = item
    self.planned = planned
    self.skipped = skipped
    self.attempt = attempt
    self.workers = workers
  }

  /// Of a case that is skipped nobody needs a device.
  func suits(_ worker: Int) -> Bool { skipped != nil || workers?.contains(worker) ?? true }
}

/// Thrown by a bench whose device for this worker can run no more cases: they go to other workers, or end as errors.
public struct WorkerUnfit: Error, CustomStringConvertible {
  /// `cam-a is quarantined: …`
  public let description: String
  public init(_ description: String) { self.description = description }
}

/// Gives each case what it needs: a device of its own, a link, a witness for the media, a capture, a folder.
public protocol CaseBench: Sendable {
  /// - Parameter worker: 0-based; a worker runs one case at a time, so it may keep a device between cases.
  /// - Throws: why the rig cannot provide it; the case ends with verdict error, and others go on. `WorkerUnfit` where it
  ///   will never again provide anything to this worker.
  func environment(for item: ScheduledCase, worker: Int) async throws -> CaseEnvironment
  /// The run is interrupted: nothing more is to be done to devices for the sake of cases to come.
  func interrupt() async
  /// All cases are over, or the run was interrupted.
  func close() async
}

extension CaseBench {
  public func interrupt() async {}
}

/// Executes a schedule: a few workers take case after case. What happens is told to `emit`; reports hang on it.
public actor Runner {
  public nonisolated let loop: Loop
  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  private let header: RunHeader
  /// Cases that nobody has taken, in order.
  private var waiting: [ScheduledCase]
  /// Workers that run no more cases, each with the reason.
  private var unfit: [Int: String] = [:]
  private let bench: any CaseBench
  private let jobs: Int
  private let failFast: Bool
  private let today: CalendarDate?
  private let runPrefix: String
  private let emit: @Sendable (RunEvent) -> Void
  private var running: [CaseRun] = []
  private var stopReason: String?
  private var interrupted = false
  /// Cases with an attempt that did not pass, while others are to follow.
  private var failing: Set<String> = []

  /// - Parameters:
  ///   - today: decides which quarantines have run out; `nil`: none has.
  ///   - runPrefix: begins the id of each run. A device takes a start with an id that it has had for a repetition, so
  ///     that physical devices need another one in each run of the harness.
  public init(
    _ loop: Loop, header: RunHeader, cases: [ScheduledCase], bench: any CaseBench, jobs: Int, failFast: Bool,
    today: CalendarDate? = nil, runPrefix: String = "r", emit: @escaping @Sendable (RunEvent) -> Void
  ) {
    self.loop = loop
    self.header = header
    waiting = cases
    self.bench = bench
    self.jobs = max(1, jobs)
    self.failFast = failFast
    self.today = today
    self.runPrefix = runPrefix
    self.emit = emit
  }

  /// - Parameter prepare: what takes its time before any case may run. Where it throws, no case runs, and each one that
  ///   would have ends as an error: the reports of a run that could do nothing say so, too.
  public func run(preparing prepare: (@Sendable () async throws -> Void)? = nil) async {
    emit(.runStarted(header))
    do { try await prepare?() } catch  where stopReason == nil {
      refuseAll("precondition: \(error)")
    } catch {
      // It was interrupted, and nothing would have run.
    }
    // A worker that proves unfit may hand a case to one that had nothing left to do.
    while stopReason == nil, let workers = able {
      await withTaskGroup(of: Void.self) { group in
        for worker in workers { group.addTask(executorPreference: loop) { await self.work(worker) } }
      }
    }
    for scheduled in waiting where stopReason == nil {
      let reasons = unfit.filter { scheduled.suits($0.key) }.sorted { $0.key < $1.key }.map(\.value)
      let attempts = CaseAttempts(scheduled, began: loop.now, today: today)
      finish(scheduled, attempts, .error, "precondition: \(reasons.joined(separator: "; "))")
    }
    await bench.close()
    emit(.runEnded(at: loop.now, interrupted: interrupted))
  }

  /// Ends running sessions, with clean-up, and starts no more cases.
  public func interrupt(_ reason: String) async {
    guard !interrupted else { return }
    interrupted = true
    stopReason = reason
    await bench.interrupt()
    for run in running { await run.abort(reason) }
  }

  /// Workers that can take one of the waiting cases; `nil`: none can.
  private var able: [Int]? {
    let workers = (0..<jobs).filter { worker in unfit[worker] == nil && waiting.contains { $0.suits(worker) } }
    if workers.isEmpty { return nil }
    // More workers than cases have nothing to do, unless each has a device of its own.
    return waiting.contains { $0.workers != nil } ? workers : Array(workers.prefix(waiting.count))
  }

  private func take(_ worker: Int) -> ScheduledCase? {
    guard stopReason == nil, unfit[worker] == nil else { return nil }
    guard let index = waiting.firstIndex(where: { $0.suits(worker) }) else { return nil }
    return waiting.remove(at: index)
  }

  private func work(_ worker: Int) async {
    var pending: [String: PendingCases] = [:]
    var probes: [String: NextStart] = [:]
    while let scheduled = take(worker) {
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
      await bringBack(run, nextStart)
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
    } catch let error as WorkerUnfit {
      unfit[worker] = error.description
      guard scheduled.attempt == attempts.first else {
        return finish(scheduled, attempts, .error, "precondition: \(error)")
      }
      // Whether another worker can take it is seen when all are done.
      waiting.insert(scheduled, at: 0)
    } catch {
      finish(scheduled, attempts, .error, "\(error)")
    }
  }

  private func perform(
    _ scheduled: ScheduledCase, _ attempts: CaseAttempts, _ environment: CaseEnvironment, isAgain: Bool, isWatched: Bool
  ) async -> CaseRun {
    let number = scheduled.attempt
    let id = runID(scheduled.item)
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

  /// The control link was lost, and did not come back before the case was over: the next case must not pay for that.
  private func bringBack(_ run: CaseRun, _ nextStart: NextStart) async {
    guard nextStart.recoversLostControl, stopReason == nil, await run.linkIsDown else { return }
    switch await nextStart.recovery.look() {
    case .boot(let boot):
      let known = await run.boot
      await run.treated(
        "recovery",
        known == boot
          ? "the control link came back by itself" : "the device came back by itself, under another boot id: \(boot)")
      return
    case .blocked(let reason):
      await run.treated("recovery", "the control link was lost, and the device is left alone: \(reason)")
      return
    case .away: break
    }
    do {
      let step = try await nextStart.recovery.climb(from: await run.boot)
      await run.treated("recovery", "the control link was lost; brought back by \(step)")
    } catch {
      await run.treated("recovery", "the control link was lost; recovery failed: \(error)")
    }
  }

  /// A start was refused, and nothing in its plan explains that. Once the device was brought back and takes the same
  /// start, the case before is to blame, and this one is not; if it still refuses, this one has failed by itself.
  /// - Returns: the case run again, where its start was accepted then.
  private func recover(
    _ scheduled: ScheduledCase, _ attempts: CaseAttempts, _ worker: Int, _ suspect: CaseRun, _ nextStart: NextStart,
    _ pending: inout [String: PendingCases]
  ) async throws -> (run: CaseRun, next: NextStart)? {
    guard case .refused(let reason, let owner) = await suspect.startOutcome, stopReason == nil else { return nil }
    let step: String
    do { step = try await nextStart.recovery.climb(from: await suspect.boot) } catch {
      await suspect.treated("recovery", "recovery failed: \(error)")
      return nil
    }
    var environment: CaseEnvironment
    do { environment = try await bench.environment(for: scheduled, worker: worker) } catch let error as WorkerUnfit {
      unfit[worker] = error.description
      emit(.entry(caseID: scheduled.planned.id, TimelineEntry(loop.now, .note("\(error)"))))
      return nil
    }
    environment.preparations.append(.init("recovery", "recovered by \(step), started again"))
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
      var fact: Fact?
      var owner: String?
      if !interrupted, let probe = probes[device] {
        switch await probe.probe(loop, flow: last.flow.id, run: "\(last.run).next", isStopped: isInterrupted) {
        case .accepted(let found): fact = found
        case .refused(let found, let run): (fact, owner) = (found, run)
        case .unknown(let why): await last.treated("next-start", why)
        }
      }
      for record in await waiting.settle(fact, owner: owner) { note(record) }
    }
  }

  /// For the loop's thread.
  private var isInterrupted: @Sendable () -> Bool { { [weak self] in self?.assumeIsolated { $0.interrupted } ?? true } }

  private func note(_ record: RunRecord) {
    if record.verdict == .fail || record.verdict == .error, record.quarantine == nil {
      failing.insert(record.planned.id)
    }
    if failFast, !record.isFollowed, failing.contains(record.planned.id), stopReason == nil {
      stopReason = "--fail-fast: \(record.planned.id) did not pass"
    }
  }

  /// No case can run.
  private func refuseAll(_ reason: String) {
    for scheduled in waiting {
      let attempts = CaseAttempts(scheduled, began: loop.now, today: today)
      if let skipped = scheduled.skipped {
        finish(scheduled, attempts, .skip, skipped)
      } else {
        finish(scheduled, attempts, .error, reason)
      }
    }
    waiting = []
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
  private func runID(_ item: Case) -> String { runPrefix + String(item.seed ^ (header.seed << 1), radix: 36) }
}
