public import RigModel

/// `--json`: the run as JSON lines for tools. The shape is stable: members are added, never renamed or removed.
///
/// Every line has `event` and, but for `run-started`, `t` (seconds since the start of the run, a number) and `ns` (the
/// same in whole nanoseconds). Durations are `seconds`. Lines by `event`:
///
/// | event | members |
/// |---|---|
/// | `run-started` | `format` 1, `run`, `version`, `started` (ISO 8601, UTC), `host`, `seed` (text), `time` real or virtual, `cases` [`case`, `plan`, `title`, `flow`, `file`, `stages`, `times`] |
/// | `case-started` | `case`, `device` |
/// | `stage-began` | `case`, `stage`, `limit` (seconds) |
/// | `stage-ended` | `case`, `stage`, `outcome`, `reason` |
/// | `gate` | `case`, `gate` |
/// | `device-event` | `case`, `name`, `source`, `run`, `boot`, `seq`, `claim`, `data` |
/// | `fact` | `case`, `fact`, `witness`, `detail` |
/// | `action`, `device-log`, `note` | `case`, `text` |
/// | `fault-armed` | `case`, `fault`, `id` |
/// | `fault-fired` | `case`, `fault`, `proof` |
/// | `finding` | `case`, `finding` {`check`, `severity`, `message`, `count`, `stage`, `first`, `last`} |
/// | `case-ended` | `case`, `device`, `attempt`, `followed` (another attempt is to come), `attempts` (after the last of several: `count`, `passed`, `failed`, `rate`, `low`, `high`, `pattern`, `result`), `quarantine` [`bug`, `owner`, `until`], `seed` (text), `verdict`, `reason`, `failurePoint`, `reached`, `seconds`, `stages` [`stage`, `outcome`, `began`, `ended`, `limit`, `reason`, `expectedToFail`], `faults`, `checks`, `measurements` [`name`, `value`, `unit`, `distribution`], `measures` [`measurement`, `limit`, `value`, `outcome`, `source`, `reason`, `stage`], `properties`, `artifacts` |
/// | `run-ended` | `interrupted`, `counts`, `exit` |
///
/// An `Evidence.time` is what the capture stamped: nanoseconds since 1970, as text where a double would round it.
public struct JSONLinesReport: Sendable {
  private let redactor: Redactor
  private var origin = HostTime.zero
  private var state: RunState

  /// - Parameter earlier: the run that this one goes on from.
  public init(redactor: Redactor = Redactor(), earlier: RunState? = nil) {
    self.redactor = redactor
    self.state = earlier ?? RunState(redactor: redactor)
  }

  /// One line, with its line end.
  public mutating func apply(_ event: RunEvent) -> String {
    if case .runStarted(let header) = event { origin = header.origin }
    state.apply(event)
    return value(redactor.redact(event)).text + "\n"
  }

  private func value(_ event: RunEvent) -> JSONValue {
    switch event {
    case .runStarted(let header):
      [
        "event": "run-started", "format": 1, "run": .string(header.id), "version": .string(header.version),
        "started": .string(WallTime.milliseconds(header.startedAt)), "host": .string(header.hostName),
        "rig": header.rig.map { .string($0) }, "seed": .string(String(header.seed)),
        "time": .string(header.time.rawValue),
        "cases": .list(header.cases) { planned in
          [
            "case": .string(planned.id), "plan": .string(planned.plan), "title": .string(planned.title),
            "flow": planned.flow.map { .string($0.rawValue) }, "file": .string(planned.file),
            "stages": .list(planned.stages), "times": planned.times.map { .integer(Int64($0)) },
          ]
        },
      ]
    case .caseStarted(let id, let device, let at):
      line("case-started", at, ["case": .string(id), "device": .string(device)])
    case .entry(let id, let entry): value(id, entry)
    case .caseEnded(let record): value(record)
    case .runEnded(let at, let interrupted): ended(at, interrupted)
    }
  }

  private func line(_ event: String, _ at: HostTime, _ rest: JSONValue) -> JSONValue {
    let since = at - origin
    let head = [
      JSONValue.Member("event", .string(event)), JSONValue.Member("t", .number(since.inSeconds)),
      JSONValue.Member("ns", .exact(since.nanoseconds)),
    ]
    return .object(head + (rest.members ?? []))
  }

  private func value(_ id: String, _ entry: TimelineEntry) -> JSONValue {
    func line(_ event: String, _ rest: JSONValue) -> JSONValue {
      self.line(event, entry.time, .object([JSONValue.Member("case", .string(id))] + (rest.members ?? [])))
    }
    switch entry.what {
    case .stageBegan(let stage, let deadline):
      return line(
        "stage-began",
        ["stage": .string(stage.rawValue), "limit": deadline.map { .number(($0 - entry.time).inSeconds) }])
    case .stageEnded(let stage, let outcome, let reason):
      return line(
        "stage-ended",
        [
          "stage": .string(stage.rawValue), "outcome": .string(outcome.rawValue), "reason": .nonEmpty(reason),
        ])
    case .gate(let gate): return line("gate", ["gate": .string(gate.rawValue)])
    case .event(let event):
      return line(
        "device-event",
        [
          "name": .string(event.name), "source": .string(event.source), "run": event.run.map { .string($0) },
          "boot": .string(event.boot), "seq": .exact(event.sequence), "claim": .bool(event.isClaim),
          "data": event.data.readable(),
        ])
    case .fact(let fact):
      return line(
        "fact",
        [
          "fact": .string(fact.kind.rawValue), "witness": .string(fact.witness.rawValue),
          "detail": .nonEmpty(fact.detail),
        ])
    case .action(let text): return line("action", ["text": .string(text)])
    case .faultArmed(let text, let id): return line("fault-armed", ["fault": .string(text), "id": .string(id)])
    case .faultFired(let text, let proof):
      return line("fault-fired", ["fault": .string(text), "proof": .string(proof)])
    case .finding(let finding): return line("finding", ["finding": JournalFields.value(finding)])
    case .deviceLog(let text): return line("device-log", ["text": .string(text)])
    case .note(let text): return line("note", ["text": .string(text)])
    }
  }

  private func value(_ record: RunRecord) -> JSONValue {
    let seconds = { (time: HostTime) in JSONValue.number((time - origin).inSeconds) }
    return line(
      "case-ended", record.ended,
      [
        "case": .string(record.planned.id), "device": .string(record.device),
        "attempt": .integer(Int64(record.attempt)), "followed": record.isFollowed ? true : nil,
        "attempts": attempts(record), "quarantine": record.quarantine.map(JournalFields.value),
        "seed": .string(String(record.seed)),
        "verdict": .string(record.verdict.rawValue), "reason": .string(record.reason),
        "failurePoint": record.failurePoint.map { .string($0.name) },
        "reached": record.reached.map { .string($0.rawValue) },
        "seconds": .number((record.ended - record.started).inSeconds),
        "stages": .list(record.stages) { stage in
          [
            "stage": .string(stage.id), "outcome": .string(stage.outcome.rawValue), "began": stage.began.map(seconds),
            "ended": stage.ended.map(seconds), "limit": stage.limit.map { .number($0.inSeconds) },
            "reason": .nonEmpty(stage.reason), "expectedToFail": stage.expectedToFail ? true : nil,
          ]
        },
        "faults": .list(record.faults, JournalFields.value), "checks": .list(record.checks, JournalFields.value),
        "measurements": .list(record.measurements) { measurement in
          [
            "name": .string(measurement.name), "value": .double(measurement.value), "unit": .string(measurement.unit),
            "distribution": measurement.distribution.map(JournalFields.value),
          ]
        },
        "measures": record.measures.isEmpty ? nil : .list(record.measures, JournalFields.value),
        "properties": .list(record.properties) { ["name": .string($0.name), "value": .string($0.value)] },
        "artifacts": .list(record.artifacts) { ["path": .string($0.path), "title": .nonEmpty($0.title)] },
      ])
  }

  /// All attempts of a case, with the last one's record.
  private func attempts(_ record: RunRecord) -> JSONValue? {
    guard record.attempt > 1, !record.isFollowed,
      let unit = state.units.first(where: { unit in
        unit.caseID == record.planned.id && unit.attempts.contains { $0.record.device == record.device }
      }), unit.attempts.count > 1
    else { return nil }
    let rate = unit.passRate
    return [
      "count": .integer(Int64(unit.attempts.count)), "passed": .integer(Int64(rate.passed)),
      "failed": .integer(Int64(rate.judged - rate.passed)), "rate": .number(rate.rate),
      "low": rate.interval.map { .number($0.lowerBound) }, "high": rate.interval.map { .number($0.upperBound) },
      "pattern": unit.pattern.map { .string($0.text) }, "result": .string(unit.result.rawValue),
    ]
  }

  private func ended(_ at: HostTime, _ interrupted: Bool) -> JSONValue {
    let summary = RunSummary(state)
    let counts = CaseResult.allCases.filter { summary[$0] > 0 }.map {
      JSONValue.Member($0.rawValue, .integer(Int64(summary[$0])))
    }
    return line(
      "run-ended", at,
      ["interrupted": .bool(interrupted), "counts": .object(counts), "exit": .integer(Int64(summary.exitStatus))])
  }
}
