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
  private let console: ConsoleSink
  private let writeFailure = WriteFailure()

  /// - Throws: `SystemError` where the reports folder cannot be used.
  init(_ settings: RunSettings, _ schedule: Schedule, simulate: Bool) throws {
    self.settings = settings
    let planned = Selection.scheduled(schedule)
    cases = zip(schedule.entries, planned).map { ScheduledCase(item: $0.item, planned: $1, skipped: $0.skipped) }
    header = RunSession.header(settings, planned, simulate: simulate)
    try Folder.make(settings.reports)
    fileThread = try LoopThread()
    let failure = writeFailure
    writer = try RunWriter(
      fileThread.loop,
      files: RunWriter.Files(
        journal: "\(settings.reports)/journal.jsonl", events: "\(settings.reports)/events.jsonl", junit: settings.junit),
      profile: settings.profile, redactor: Redactor(), syncsEachCase: !simulate
    ) { failure.report($0) }
    console = ConsoleSink(settings)
  }

  private static func header(_ settings: RunSettings, _ planned: [PlannedCase], simulate: Bool) -> RunHeader {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    var name = [CChar](repeating: 0, count: 256)
    gethostname(&name, 255)
    let host = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let nanoseconds = Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    return RunHeader(
      id: simulate ? "simulated-\(settings.seed)" : "\(now.tv_sec)-\(getpid())", version: Streamrig.version,
      startedAt: simulate ? 0 : nanoseconds, origin: simulate ? .zero : EpollLoop.monotonicNow,
      hostName: simulate ? "virtual" : host, seed: settings.seed, time: simulate ? .virtual : .real, cases: planned)
  }

  private func emit(_ event: RunEvent) {
    writer.take(event)
    console.take(event)
  }

  // MARK: Real time

  func runReal() throws -> Int32 {
    let loop = try EpollLoop()
    // The signals are blocked here, before the capture thread exists, so that no thread is killed by one.
    let signals = try Signals(loop, [SIGINT, SIGTERM, SIGHUP])
    let capture = settings.noCapture ? nil : try LoopThread()
    let bench = DeviceBench(
      loop, reports: settings.reports, captureThread: capture, captureSkipped: "--no-capture", seed: settings.seed,
      device: settings.device, interface: settings.interface)
    let runner = Runner(
      loop, header: header, cases: cases, bench: bench, jobs: settings.jobs, failFast: settings.failFast, emit: emit)
    let session = self
    writeFailure.onReport { error in
      loop.spawn { await runner.interrupt("the reports cannot be written: \(error)") }
    }
    let wasInterrupted = try loop.run {
      let watcher = loop.spawn { try await session.watch(signals, runner) }
      let ticker = loop.spawn {
        while true {
          try await loop.sleep(for: .milliseconds(200))
          session.console.tick(loop.now)
        }
      }
      await runner.run()
      watcher.cancel()
      ticker.cancel()
      return session.console.sawSignal
    }
    capture?.stop()
    return try finish(interrupted: wasInterrupted)
  }

  /// The first signal ends sessions and keeps what was measured; the second ends the process.
  private func watch(_ signals: Signals, _ runner: Runner) async throws {
    let number = try await signals.next()
    console.noteSignal()
    console.say("interrupted by \(String(cString: strsignal(number))): ending sessions; again to give up at once")
    await runner.interrupt("interrupted by \(String(cString: strsignal(number)))")
    _ = try await signals.next()
    exit(ExitStatus.interrupted)
  }

  // MARK: Virtual time

  /// Each case has a virtual clock of its own, that begins at zero.
  func runSimulated() throws -> Int32 {
    emit(.runStarted(header))
    var last = HostTime.zero
    for scheduled in cases {
      let loop = VirtualLoop()
      let events = Collector()
      let runner = Runner(
        loop, header: header, cases: [scheduled], bench: SimulatedBench(loop: loop), jobs: 1, failFast: false
      ) { events.add($0) }
      try loop.run { await runner.run() }
      last = max(last, loop.now)
      var passed = true
      for event in events.all {
        switch event {
        case .runStarted, .runEnded: continue
        case .caseEnded(let record): passed = record.verdict != .fail && record.verdict != .error
        default: break
        }
        emit(event)
      }
      if settings.failFast, !passed { break }
    }
    emit(.runEnded(at: last, interrupted: false))
    return try finish(interrupted: false)
  }

  private func finish(interrupted: Bool) throws -> Int32 {
    let writer = writer
    let loop = try EpollLoop()
    let (state, failure) = try loop.run { await writer.finish() }
    fileThread.stop()
    console.finish(reports: settings.reports)
    if let failure {
      Output.complain("the reports are not complete: \(failure)")
      return ExitStatus.rig
    }
    return interrupted ? ExitStatus.interrupted : RunSummary(state).exitStatus
  }
}

/// Events of one simulated case.
private final class Collector: Sendable {
  private let events = Mutex<[RunEvent]>([])
  func add(_ event: RunEvent) { events.withLock { $0.append(event) } }
  var all: [RunEvent] { events.withLock { $0 } }
}

/// Hands the first write error from the file thread to the run.
private final class WriteFailure: Sendable {
  private let handler = Mutex<(@Sendable (SystemError) -> Void)?>(nil)
  func onReport(_ body: @escaping @Sendable (SystemError) -> Void) { handler.withLock { $0 = body } }
  func report(_ error: SystemError) { handler.withLock { $0 }?(error) }
}
