public import RigModel

/// What is known of a run so far. The live run and `report merge` build it alike, event by event, so that reports made
/// from it are the same to the byte.
///
/// 1. Every text in it is redacted.
/// 2. A record that was applied is never dropped or replaced, whatever comes after.
/// 3. A run that was resumed in the same journal goes on in the same state; what was running when it died is forgotten
///    when the case begins anew, and stays unfinished otherwise.
public struct RunState: Sendable {
  /// A case that began and has no record yet.
  public struct Running: Sendable {
    public var caseID: String
    public var device: String
    public var began: HostTime
    /// The time of the last entry.
    public var seen: HostTime
    /// The stages that began, in order.
    public var stages: [StageRecord] = []
    public var faults: [FaultRecord] = []
    /// The first error findings, at most 20.
    public var findings: [Finding] = []
    /// Left over by a run that died, and that another one has gone on from since.
    public var isStale = false

    /// The stages that began and have not ended.
    public var open: [StageRecord] { stages.filter { $0.outcome == .unfinished } }
  }

  /// A record, and when the case began by the wall clock (nanoseconds since 1970; `nil` without a header).
  public struct Finished: Sendable {
    public var record: RunRecord
    public var startedAt: Int64?
    /// The run that made it: a journal may hold several, each going on from the one before.
    public var runID: String

    public init(record: RunRecord, startedAt: Int64? = nil, runID: String = "") {
      self.record = record
      self.startedAt = startedAt
      self.runID = runID
    }
  }

  public private(set) var header: RunHeader?
  /// In the order in which the cases ended.
  public private(set) var finished: [Finished] = []
  /// In the order in which the cases began.
  public private(set) var running: [Running] = []
  /// When the run ended; `nil`: it goes on, or was killed.
  public private(set) var ended: HostTime?
  public private(set) var interrupted = false
  /// Lines of the journal that could not be read, since the run was last started.
  public private(set) var damagedLines = 0
  public private(set) var unknownLines = 0

  private let redactor: Redactor

  public init(redactor: Redactor = Redactor()) { self.redactor = redactor }

  /// The state that a whole journal leads to.
  public init(journal: some Collection<UInt8>, redactor: Redactor = Redactor()) {
    self.init(redactor: redactor)
    var reader = JournalReader()
    reader.read(Array(journal)[...]) { apply($0) }
    reader.finish { apply($0) }
  }

  /// One line of a journal. Damaged and unknown ones are counted.
  public mutating func apply(_ reading: JournalLine.Reading) {
    switch reading {
    case .event(let event): apply(event)
    case .unknown: unknownLines += 1
    case .damaged: damagedLines += 1
    }
  }

  public mutating func apply(_ event: RunEvent) {
    switch event {
    case .entry(_, let entry) where !Self.concerns(entry.what):
      // Most of a timeline changes nothing here and need not be redacted.
      return
    default: break
    }
    switch redactor.redact(event) {
    case .runStarted(let header): start(header)
    case .caseStarted(let id, let device, let at):
      // Begun anew, it may have got another device.
      running.removeAll { $0.caseID == id && ($0.device == device || $0.isStale) }
      running.append(Running(caseID: id, device: device, began: at, seen: at))
    case .entry(let id, let entry):
      guard let index = running.lastIndex(where: { $0.caseID == id }) else { return }
      running[index].apply(entry)
    case .caseEnded(let record):
      // Its next attempt may have begun before the record was made.
      running.removeAll {
        $0.caseID == record.planned.id && $0.device == record.device
          && ($0.began <= record.started || $0.began < record.ended)
      }
      let startedAt = header.map {
        $0.startedAt.addingReportingOverflow((record.started - $0.origin).nanoseconds).partialValue
      }
      finished.append(Finished(record: record, startedAt: startedAt, runID: header?.id ?? ""))
    case .runEnded(let at, let interrupted):
      ended = at
      self.interrupted = interrupted
    }
  }

  private mutating func start(_ next: RunHeader) {
    var next = next
    for i in running.indices { running[i].isStale = true }
    if let header {
      // In the order of the first schedule; what the plans say now counts.
      let planned = Dictionary(next.cases.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
      let known = Set(header.cases.map(\.id))
      next.cases = header.cases.map { planned[$0.id] ?? $0 } + next.cases.filter { !known.contains($0.id) }
    }
    header = next
    ended = nil
    interrupted = false
    damagedLines = 0
    unknownLines = 0
  }

  private static func concerns(_ what: TimelineEntry.What) -> Bool {
    switch what {
    case .stageBegan, .stageEnded, .faultArmed, .faultFired, .finding: true
    case .gate, .event, .fact, .action, .deviceLog, .note: false
    }
  }
}

extension RunState.Running {
  fileprivate mutating func apply(_ entry: TimelineEntry) {
    seen = max(seen, entry.time)
    switch entry.what {
    case .stageBegan(let stage, let deadline):
      stages.append(
        StageRecord(
          id: stage.rawValue, outcome: .unfinished, began: entry.time, limit: deadline.map { $0 - entry.time }))
    case .stageEnded(let stage, let outcome, let reason):
      // Mostly it runs; one that had passed may fail after all.
      let index = stages.lastIndex { $0.id == stage.rawValue }
      var record = index.map { stages[$0] } ?? StageRecord(id: stage.rawValue, outcome: outcome)
      record.outcome = outcome
      record.ended = entry.time
      record.reason = reason
      if let index { stages[index] = record } else { stages.append(record) }
    case .faultArmed(let text, _):
      faults.append(FaultRecord(text: text, fired: false, proof: "armed"))
    case .faultFired(let text, let proof):
      if let index = faults.firstIndex(where: { $0.text == text && !$0.fired }) {
        faults[index] = FaultRecord(text: text, fired: true, proof: proof)
      } else {
        faults.append(FaultRecord(text: text, fired: true, proof: proof))
      }
    case .finding(let finding):
      if finding.severity == .error, findings.count < 20 { findings.append(finding) }
    case .gate, .event, .fact, .action, .deviceLog, .note: break
    }
  }
}
