import RigModel

extension JournalFields {
  static func value(_ record: RunRecord) -> JSONValue {
    [
      "case": value(record.planned), "device": .string(record.device), "attempt": .integer(Int64(record.attempt)),
      "followed": record.isFollowed ? true : nil, "quarantine": record.quarantine.map(value),
      "seed": .exact(record.seed), "started": .time(record.started), "ended": .time(record.ended),
      "verdict": .string(record.verdict.rawValue), "reason": .string(record.reason),
      "expect": value(record.expectation), "failurePoint": record.failurePoint.map { .string($0.name) },
      "reached": record.reached.map { .string($0.rawValue) }, "stages": .list(record.stages, value),
      "faults": .list(record.faults, value), "checks": .list(record.checks, value),
      "measurements": .list(record.measurements) { measurement in
        [
          "name": .string(measurement.name), "value": .double(measurement.value), "unit": .nonEmpty(measurement.unit),
          "distribution": measurement.distribution.map(value),
        ]
      },
      "measures": record.measures.isEmpty ? nil : .list(record.measures, value),
      "properties": .list(record.properties) { ["name": .string($0.name), "value": .string($0.value)] },
      "artifacts": .list(record.artifacts) { ["path": .string($0.path), "title": .nonEmpty($0.title)] },
    ]
  }

  func record() throws(JournalProblem) -> RunRecord {
    RunRecord(
      planned: try object("case").planned(), device: text("device"), attempt: int("attempt") ?? 1,
      isFollowed: bool("followed"),
      quarantine: optional("quarantine") == nil ? nil : try object("quarantine").quarantine(),
      seed: try uint64("seed"), started: try time("started"), ended: try time("ended"),
      verdict: try word("verdict", Verdict.self), reason: text("reason"), expectation: try expectation(),
      failurePoint: optional("failurePoint")?.string.map { FailurePoint(name: $0) },
      reached: try optionalWord("reached", Gate.self),
      stages: try each("stages") { item throws(JournalProblem) in try item.stage() },
      faults: try each("faults") { item throws(JournalProblem) in
        FaultRecord(text: try item.string("text"), fired: item.bool("fired"), proof: item.text("proof"))
      },
      checks: try each("checks") { item throws(JournalProblem) in try item.checkGroup() },
      measurements: try each("measurements") { item throws(JournalProblem) in
        Measurement(
          try item.string("name"), try item.double("value"), item.text("unit"),
          distribution: item.optional("distribution") == nil ? nil : try item.object("distribution").distribution())
      },
      measures: try each("measures") { item throws(JournalProblem) in try item.measure() },
      properties: try each("properties") { item throws(JournalProblem) in
        RunRecord.Property(try item.string("name"), item.text("value"))
      },
      artifacts: try each("artifacts") { item throws(JournalProblem) in
        Artifact(path: try item.string("path"), title: item.text("title"))
      })
  }

  static func value(_ quarantine: Quarantine) -> JSONValue {
    [
      "bug": .string(quarantine.bug), "owner": .string(quarantine.owner), "until": .string("\(quarantine.until)"),
    ]
  }

  private func quarantine() throws(JournalProblem) -> Quarantine {
    guard let until = CalendarDate(try string("until")) else { throw .missing("until") }
    return Quarantine(bug: try string("bug"), owner: text("owner"), until: until)
  }

  static func value(_ distribution: Distribution) -> JSONValue {
    [
      "samples": .exact(distribution.samples), "min": .double(distribution.minimum), "p50": .double(distribution.p50),
      "p90": .double(distribution.p90), "p95": .double(distribution.p95), "p99": .double(distribution.p99),
      "max": .double(distribution.maximum),
    ]
  }

  private func distribution() throws(JournalProblem) -> Distribution {
    Distribution(
      samples: try int64("samples"), minimum: try double("min"), p50: try double("p50"), p90: try double("p90"),
      p95: try double("p95"), p99: try double("p99"), maximum: try double("max"))
  }

  static func value(_ measure: MeasureRecord) -> JSONValue {
    [
      "measurement": .string(measure.measurement), "limit": .string(measure.limit), "value": .nonEmpty(measure.value),
      "outcome": .string(measure.outcome.rawValue), "source": .nonEmpty(measure.source),
      "reason": .nonEmpty(measure.reason), "stage": .string(measure.stage.rawValue),
    ]
  }

  private func measure() throws(JournalProblem) -> MeasureRecord {
    MeasureRecord(
      measurement: try string("measurement"), limit: text("limit"), value: text("value"),
      outcome: try word("outcome", MeasureRecord.Outcome.self), source: text("source"), reason: text("reason"),
      stage: StageID(rawValue: try string("stage")))
  }

  private func double(_ key: String) throws(JournalProblem) -> Double {
    let found = try required(key)
    if let number = found.double { return number }
    switch found.string {
    case "nan": return .nan
    case "inf": return .infinity
    case "-inf": return -.infinity
    default: throw .missing(key)
    }
  }

  private static func value(_ expectation: Expectation) -> JSONValue {
    [
      "failed": expectation.failed.map { .string($0.name) },
      "reached": expectation.reached.map { .string($0.rawValue) },
      "never": expectation.never.isEmpty ? nil : .list(expectation.never),
    ]
  }

  private func expectation() throws(JournalProblem) -> Expectation {
    guard optional("expect") != nil else { return Expectation() }
    let fields = try object("expect")
    return Expectation(
      failed: fields.optional("failed")?.string.map { FailurePoint(name: $0) },
      reached: try fields.optionalWord("reached", Gate.self), never: fields.strings("never"))
  }

  static func value(_ stage: StageRecord) -> JSONValue {
    [
      "id": .string(stage.id), "outcome": .string(stage.outcome.rawValue), "began": stage.began.map { .time($0) },
      "ended": stage.ended.map { .time($0) }, "limit": stage.limit.map { .duration($0) },
      "reason": .nonEmpty(stage.reason), "expectedToFail": stage.expectedToFail ? true : nil,
    ]
  }

  private func stage() throws(JournalProblem) -> StageRecord {
    StageRecord(
      id: try string("id"), outcome: try word("outcome", StageOutcome.self), began: optionalTime("began"),
      ended: optionalTime("ended"), limit: duration("limit"), reason: text("reason"),
      expectedToFail: bool("expectedToFail"))
  }

  static func value(_ fault: FaultRecord) -> JSONValue {
    ["text": .string(fault.text), "fired": .bool(fault.fired), "proof": .nonEmpty(fault.proof)]
  }

  static func value(_ group: CheckGroupRecord) -> JSONValue {
    [
      "group": .string(group.group), "judged": .list(group.judged), "skipped": .nonEmpty(group.skipped),
      "inconclusive": .nonEmpty(group.inconclusive), "findings": .list(group.findings, value),
    ]
  }

  private func checkGroup() throws(JournalProblem) -> CheckGroupRecord {
    CheckGroupRecord(
      group: try string("group"), judged: strings("judged"), skipped: text("skipped"),
      inconclusive: text("inconclusive"),
      findings: try each("findings") { item throws(JournalProblem) in try item.finding() })
  }

  static func value(_ finding: Finding) -> JSONValue {
    [
      "check": .string(finding.check), "severity": .string(finding.severity.rawValue),
      "message": .string(finding.message), "count": .exact(Int64(finding.count)),
      "stage": finding.stage.map { .string($0.rawValue) }, "first": value(finding.first),
      "last": finding.last.map(value),
    ]
  }

  func finding() throws(JournalProblem) -> Finding {
    Finding(
      check: try string("check"), severity: try word("severity", Severity.self), message: text("message"),
      first: try object("first").evidence(), last: optional("last") == nil ? nil : try object("last").evidence(),
      count: int("count") ?? 1, stage: optional("stage")?.string.map { StageID(rawValue: $0) })
  }

  private static func value(_ evidence: Evidence) -> JSONValue {
    [
      "file": evidence.file.map { .string($0) }, "frame": evidence.frame.map { .exact(Int64($0)) },
      "time": evidence.time.map { .exact($0) }, "ssrc": evidence.ssrc.map { .integer(Int64($0)) },
      "sequence": evidence.sequence.map { .exact($0) }, "offset": evidence.offset.map { .exact($0) },
      "excerpt": evidence.excerpt.map { .string($0) },
    ]
  }

  private func evidence() -> Evidence {
    Evidence(
      file: optional("file")?.string, frame: int("frame"), time: exactInt64("time"),
      ssrc: exactInt64("ssrc").flatMap { UInt32(exactly: $0) }, sequence: exactInt64("sequence"),
      offset: exactInt64("offset"), excerpt: optional("excerpt")?.string)
  }
}
