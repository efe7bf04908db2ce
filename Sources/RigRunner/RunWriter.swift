import Glibc
public import RigLoop
public import RigModel
public import RigReport

/// Keeps a run's files: the journal, appended per event and synced per case; the event log; JUnit, rewritten whole at
/// the start, now and then, and at the end. Works on a loop of its own, since syncing takes as long as the disk likes.
public actor RunWriter {
  public struct Files: Sendable {
    public var journal: String
    public var events: String
    public var junit: String
    public init(journal: String, events: String, junit: String) {
      self.journal = journal
      self.events = events
      self.junit = junit
    }
  }

  private let loop: EpollLoop
  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  private let files: Files
  private let profile: JUnitReport.Profile
  private let redactor: Redactor
  private let syncsEachCase: Bool
  private var journal: AppendFile
  private var events: AppendFile
  private var log: JSONLinesReport
  private var state: RunState
  private var lastJUnit: HostTime?
  private var lastJUnitTook: Duration = .zero
  private var failure: SystemError?
  private let failed: @Sendable (SystemError) -> Void

  /// - Parameters:
  ///   - earlier: the run that left the files, which this one goes on from; `nil`: they are made anew.
  ///   - failed: called once, with the first error; measured events stay in memory and in what was written.
  /// - Throws: `SystemError` where a file cannot be made.
  public init(
    _ loop: EpollLoop, files: Files, profile: JUnitReport.Profile, redactor: Redactor, syncsEachCase: Bool,
    earlier: RunState? = nil, failed: @escaping @Sendable (SystemError) -> Void
  ) throws(SystemError) {
    self.loop = loop
    self.files = files
    self.profile = profile
    self.redactor = redactor
    self.syncsEachCase = syncsEachCase
    self.failed = failed
    journal = try AppendFile(files.journal, continues: earlier != nil)
    events = try AppendFile(files.events, continues: earlier != nil)
    log = JSONLinesReport(redactor: redactor, earlier: earlier)
    state = earlier ?? RunState(redactor: redactor)
  }

  /// Takes an event from any thread, in order.
  public nonisolated func take(_ event: RunEvent) {
    loop.post { self.assumeIsolated { $0.write(event) } }
  }

  /// Waits until everything taken before is on disk.
  /// - Returns: the state that the reports were made of, and the first error.
  public func finish() -> (state: RunState, failure: SystemError?) {
    journal.sync()
    events.flush()
    writeJUnit()
    check(journal.error ?? events.error)
    return (state, failure)
  }

  private func write(_ event: RunEvent) {
    journal.append(JournalLine.encode(event, redactor: redactor) + "\n")
    events.append(log.apply(event))
    state.apply(event)
    switch event {
    case .runStarted: writeJUnit()
    case .caseEnded:
      if syncsEachCase { journal.sync() }
      writeJUnitWhenDue()
    case .runEnded: break
    case .caseStarted, .entry:
      if syncsEachCase {
        journal.flush()
        events.flush()
        writeJUnitWhenDue()
      }
    }
    check(journal.error ?? events.error)
  }

  /// At most once a second, and never more than a tenth of the time: each rewrite is of the whole report.
  private func writeJUnitWhenDue() {
    guard syncsEachCase else { return }
    let now = loop.now
    if let lastJUnit, now - lastJUnit < max(.seconds(1), lastJUnitTook * 10) { return }
    writeJUnit()
  }

  private func writeJUnit() {
    let began = loop.now
    check(AtomicFile.write(JUnitReport.render(state, profile: profile), to: files.junit))
    lastJUnit = loop.now
    lastJUnitTook = loop.now - began
  }

  private func check(_ error: SystemError?) {
    guard let error, failure == nil else { return }
    failure = error
    failed(error)
  }
}
