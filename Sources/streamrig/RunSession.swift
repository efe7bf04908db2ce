import CRigShims
import Glibc
import RigLoop
import RigModel
import RigPlan
import RigReport
import RigRunner
import Synchronization

/// One run: the schedule, the reports that hang on its events, and how it ends.
struct RunSession {
  private let settings: RunSettings
  private let cases: [ScheduledCase]
  private let header: RunHeader
  private let fileThread: LoopThread
  private let writer: RunWriter
  /// `nil`: nobody watches.
  private let console: ConsoleSink?
  private let earlyEnd = EarlyEnd()
  private let lock: ReportsLock
  /// `nil`: virtual time.
  private let real: (loop: EpollLoop, signals: Signals)?

  /// - Parameters:
  ///   - earlier: the run in the reports folder that this one goes on from; `nil`: its reports are replaced.
  ///   - lock: of the reports folder; `nil`: it is taken.
  /// - Throws: `SystemError` where the reports folder cannot be used, `ReportsLock.Held` where another run uses it.
  init(
    _ settings: RunSettings, _ cases: [ScheduledCase], simulate: Bool, earlier: RunState? = nil,
    lock: ReportsLock? = nil, console: ConsoleSink?
  ) throws {
    self.settings = settings
    self.cases = cases
    self.console = console
    header = RunSession.header(settings, cases.map(\.planned), simulate: simulate, earlier: earlier)
    // The signals are blocked before any other thread exists, so that none of them is killed by one.
    if simulate {
      real = nil
    } else {
      let loop = try EpollLoop()
      real = (loop, try Signals(loop, [SIGINT, SIGTERM, SIGHUP]))
    }
    try Folder.make(settings.reports)
    self.lock = try lock ?? ReportsLock(settings.reports, by: LeaseRecord("run", device: "", clock: .current))
    fileThread = try LoopThread()
    let failure = earlyEnd
    writer = try RunWriter(
      fileThread.loop,
      files: RunWriter.Files(
        journal: "\(settings.reports)/journal.jsonl", events: "\(settings.reports)/events.jsonl", junit: settings.junit),
      profile: settings.profile, redactor: Redactor(secrets: settings.secrets), syncsEachCase: !simulate,
      earlier: earlier
    ) { failure.report($0) }
    // Not before the new reports are there: evidence goes with the reports that tell of it.
    if earlier == nil { Folder.removeEvidence(under: "\(settings.reports)/cases") }
  }

  /// Runs, shows, and gives the exit status.
  func run() throws -> Int32 {
    let (state, failure, interrupted) = try execute()
    console?.finish(reports: settings.reports, isWritten: failure == nil)
    if let failure {
      Output.complain("the reports are not complete: \(failure)")
      return ExitStatus.rig
    }
    if interrupted { return ExitStatus.interrupted }
    let status = RunSummary(state).exitStatus
    // Cases in quarantine do not count, but a bench that could not be made does.
    return status == 0 && earlyEnd.sawNoBench ? ExitStatus.rig : status
  }

  /// Runs, and gives the records.
  /// - Throws: `SystemError` where the reports could not be written.
  func records() throws -> [RunRecord] {
    let (state, failure, _) = try execute()
    if let failure { throw failure }
    return state.finished.map(\.record)
  }

  private func execute() throws -> (state: RunState, failure: SystemError?, interrupted: Bool) {
    let interrupted = try real.map { try runReal($0.loop, $0.signals) } ?? runSimulated()
    let writer = writer
    let loop = try EpollLoop()
    let (state, failure) = try loop.run { await writer.finish() }
    fileThread.stop()
    lock.release()
    return (state, failure, interrupted)
  }

  private static func header(
    _ settings: RunSettings, _ planned: [PlannedCase], simulate: Bool, earlier: RunState?
  ) -> RunHeader {
    // Virtual runs have no time of their own to be told apart by.
    let again = earlier.map { "-\($0.finished.count)" } ?? ""
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    var name = [CChar](repeating: 0, count: 256)
    gethostname(&name, 255)
    let host = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let nanoseconds = Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    return RunHeader(
      id: simulate ? "simulated-\(settings.seed)\(again)" : "\(now.tv_sec)-\(getpid())", version: Streamrig.version,
      startedAt: simulate ? 0 : nanoseconds, origin: simulate ? .zero : EpollLoop.monotonicNow,
      hostName: simulate ? "virtual" : host, rig: settings.rig?.id, seed: settings.seed,
      time: simulate ? .virtual : .real, cases: planned)
  }

  private func emit(_ event: RunEvent) {
    writer.take(event)
    console?.take(event)
  }

  // MARK: Real time

  /// - Returns: whether it was interrupted.
  private func runReal(_ loop: EpollLoop, _ signals: Signals) throws -> Bool {
    let capture = settings.noCapture ? nil : try LoopThread()
    if let rig = settings.rig { return try runRig(rig, loop, signals, capture) }
    let bench = DeviceBench(
      loop, reports: settings.reports, captureThread: capture, captureSkipped: "--no-capture", seed: settings.seed,
      device: settings.device, deviceHost: settings.deviceHost, interface: settings.interface, link: settings.link,
      radio: settings.radio)
    let airs = cases.contains { $0.skipped == nil && settings.link.usesAir($0.item.plan) }
    let workers = min(settings.jobs, cases.count)
    return try drive(loop, signals, capture, bench) {
      if airs { try await bench.prepareAirs(workers) }
      try await bench.prepareRadio()
    }
  }

  /// Each device of the rig is a worker of its own.
  private func runRig(_ rig: Rig, _ loop: EpollLoop, _ signals: Signals, _ capture: LoopThread?) throws -> Bool {
    let bench = RigBench(
      loop, rig, settings, run: header.id, captureThread: capture, used: RigBench.used(rig, by: cases))
    return try drive(loop, signals, capture, bench) { try await bench.prepare() }
  }

  /// - Parameter prepare: what takes its time before any case may run.
  /// - Returns: whether it was interrupted.
  private func drive(
    _ loop: EpollLoop, _ signals: Signals, _ capture: LoopThread?, _ bench: any CaseBench,
    prepare: @escaping @Sendable () async throws -> Void
  ) throws -> Bool {
    let runner = Runner(
      loop, header: header, cases: cases, bench: bench, jobs: settings.jobs, failFast: settings.failFast,
      today: settings.today, runPrefix: "r\(String(UInt32.random(in: 0...UInt32.max), radix: 36))-", emit: emit)
    let session = self
    earlyEnd.onReport { error in
      loop.spawn { await runner.interrupt("the reports cannot be written: \(error)") }
    }
    let wasInterrupted = try loop.run {
      let watcher = loop.spawn { try await session.watch(signals, runner) }
      let ticker = loop.spawn {
        while true {
          try await loop.sleep(for: .milliseconds(200))
          session.console?.tick(loop.now)
        }
      }
      await runner.run {
        do { try await prepare() } catch {
          session.earlyEnd.noteNoBench()
          Output.complain(PrintableText.cut("no case can be run: \(error)", to: 400))
          throw error
        }
      }
      watcher.cancel()
      ticker.cancel()
      return session.earlyEnd.sawSignal
    }
    capture?.stop()
    return wasInterrupted
  }

  /// The first signal ends sessions and keeps what was measured; the second ends the process.
  private func watch(_ signals: Signals, _ runner: Runner) async throws {
    let number = try await signals.next()
    earlyEnd.noteSignal()
    console?.say("interrupted by \(String(cString: strsignal(number))): ending sessions; again to give up at once")
    await runner.interrupt("interrupted by \(String(cString: strsignal(number)))")
    _ = try await signals.next()
    // What goes on by itself would keep a port, or a device.
    ChildProcess.endAll()
    for text in PowerSwitches.leave() { Output.complain(text) }
    exit(ExitStatus.interrupted)
  }

  // MARK: Virtual time

  /// Each case has a virtual clock of its own, that begins at zero.
  private func runSimulated() throws -> Bool {
    emit(.runStarted(header))
    var last = HostTime.zero
    for scheduled in cases {
      let loop = VirtualLoop()
      let events = Collector()
      let runner = Runner(
        loop, header: header, cases: [scheduled], bench: SimulatedBench(loop: loop), jobs: 1, failFast: false,
        today: settings.today
      ) { events.add($0) }
      try loop.run { await runner.run() }
      last = max(last, loop.now)
      var passed = true
      for event in events.all {
        switch event {
        case .runStarted, .runEnded: continue
        case .caseEnded(let record) where record.quarantine == nil:
          passed = passed && record.verdict != .fail && record.verdict != .error
        default: break
        }
        emit(event)
      }
      if settings.failFast, !passed { break }
    }
    emit(.runEnded(at: last, interrupted: false))
    return false
  }
}

/// Events of one simulated case.
private final class Collector: Sendable {
  private let events = Mutex<[RunEvent]>([])
  func add(_ event: RunEvent) { events.withLock { $0.append(event) } }
  var all: [RunEvent] { events.withLock { $0 } }
}

/// What ends a run early: the first write error from the file thread, a signal, or a bench that cannot be made.
private final class EarlyEnd: Sendable {
  private let handler = Mutex<(@Sendable (SystemError) -> Void)?>(nil)
  private let signalled = Mutex(false)
  func onReport(_ body: @escaping @Sendable (SystemError) -> Void) { handler.withLock { $0 = body } }
  func report(_ error: SystemError) { handler.withLock { $0 }?(error) }
  private let hasNoBench = Mutex(false)
  func noteNoBench() { hasNoBench.withLock { $0 = true } }
  var sawNoBench: Bool { hasNoBench.withLock { $0 } }
  func noteSignal() { signalled.withLock { $0 = true } }
  var sawSignal: Bool { signalled.withLock { $0 } }
}
