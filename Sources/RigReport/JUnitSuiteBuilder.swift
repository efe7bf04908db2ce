import RigModel

/// Makes suites of one run. The rules that it follows are numbered at `JUnitReport`.
struct JUnitSuiteBuilder {
  let run: RunState
  init(run: RunState) { self.run = run }

  func suite(_ unit: CaseUnit, name: String, className: String) -> JUnitSuite {
    var suite = JUnitSuite(name: name, className: className, hostName: run.header?.hostName ?? "")
    suite.file = unit.planned?.file ?? ""
    suite.startedAt = unit.attempts.first?.startedAt ?? unit.running.flatMap { wallTime($0.began) }
    suite.milliseconds = duration(unit)
    suite.properties = properties(unit, startedAt: suite.startedAt)
    switch unit.result {
    case .unfinished: fillUnfinished(&suite, unit)
    case .notStarted: fillNotStarted(&suite, unit)
    case .pass, .fail, .flaky, .error, .inconclusive, .skip, .quarantined:
      guard let deciding = unit.deciding else { break }
      suite.link = deciding.record.artifacts.first.map { folder(of: $0.path) }
      fill(&suite, unit, deciding)
      if unit.result == .quarantined { excuse(&suite, unit) }
    }
    return suite
  }

  /// The folder in which a case's files lie; the path itself where it names none.
  private func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return path }
    return String(path[...slash])
  }

  /// The time that the attempts took; waiting between them is nobody's.
  private func duration(_ unit: CaseUnit) -> Int64 {
    let finished = unit.attempts.reduce(Int64(0)) { $0 + ($1.record.ended - $1.record.started).reportMilliseconds }
    return finished + (unit.running.map { ($0.seen - $0.began).reportMilliseconds } ?? 0)
  }

  func wallTime(_ time: HostTime) -> Int64? {
    run.header.map { $0.startedAt.addingReportingOverflow((time - $0.origin).nanoseconds).partialValue }
  }

  // MARK: Properties

  private func properties(_ unit: CaseUnit, startedAt: Int64?) -> [(name: String, value: String)] {
    var out: [(name: String, value: String)] = []
    func add(_ name: String, _ value: String) {
      if !value.isEmpty { out.append((name, value)) }
    }
    if let header = run.header {
      add("run", header.id)
      add("rig", header.rig ?? "")
      add("streamrig", header.version)
      add("time", header.time.rawValue)
      add("run.seed", "\(header.seed)")
    }
    add("case", unit.caseID)
    if let planned = unit.planned {
      add("plan", planned.plan)
      add("title", planned.title)
      add("flow", planned.flow?.rawValue ?? "")
    }
    add("device", unit.device ?? "")
    if let startedAt { add("started", WallTime.milliseconds(startedAt)) }
    if unit.attempts.count > 1 {
      add("attempts", "\(unit.attempts.count)")
      add("pass-rate", unit.passRate.text)
      add("pattern", unit.pattern?.text ?? "")
    }
    if let quarantine = unit.quarantine {
      add("quarantine", "\(quarantine)")
      add("quarantine.outcome", unit.isUnexpectedPass ? "unexpected pass" : unit.plainResult.rawValue)
    }
    guard let record = unit.deciding?.record else { return out }
    add("seed", "\(record.seed)")
    for property in record.properties { out.append((property.name, property.value)) }
    for fault in record.faults where fault.fired { add("fault.fired", fault.text) }
    for artifact in record.artifacts where artifact.path.hasSuffix(".pcapng") || artifact.path.hasSuffix(".pcap") {
      add("capture", artifact.path)
    }
    for measure in record.measures {
      add("limit.\(measure.measurement)", "\(measure.limit): \(measure.outcome.rawValue)")
    }
    for measurement in record.measurements { add("measure.\(measurement.name)", Self.text(of: measurement)) }
    return out
  }

  static func text(of measurement: Measurement) -> String {
    var text = measurement.text
    if let d = measurement.distribution {
      let parts = [
        ("min", d.minimum), ("p50", d.p50), ("p90", d.p90), ("p95", d.p95), ("p99", d.p99), ("max", d.maximum),
      ]
      text += " (" + parts.map { "\($0.0) \(PlainNumber($0.1))" }.joined(separator: ", ") + "; \(d.samples) samples)"
    }
    return text
  }

  // MARK: What has no record

  private func fillUnfinished(_ suite: inout JUnitSuite, _ unit: CaseUnit) {
    guard let running = unit.running else { return fillCutShort(&suite, unit) }
    let open = running.open.map(\.id)
    let place = open.isEmpty ? "" : " in " + open.joined(separator: ", ")
    let cause =
      run.ended == nil
      ? "the run was going on, or was killed, when this was written" : "the run ended without its record"
    var body = running.faults.map { Self.text(of: $0, over: false) }
    body += running.findings.map(EvidenceText.text)
    body += Self.text(of: unit.attempts)
    suite.cases.append(
      JUnitSuite.Case(
        name: "verdict",
        outcome: .error(
          type: "unfinished", message: "did not finish\(place): \(cause)", body: body.joined(separator: "\n")),
        startedAt: wallTime(running.began)))
    let stages = unit.planned?.stages ?? []
    for (index, stage) in JUnitSuiteBuilder.ordered(running.stages, by: stages).enumerated() {
      var one = JUnitSuite.Case(name: Self.stageName(index, stage.id))
      one.startedAt = stage.record?.began.flatMap(wallTime)
      if let record = stage.record {
        one.milliseconds = ((record.ended ?? running.seen) - (record.began ?? running.began)).reportMilliseconds
        switch record.outcome {
        case .passed: break
        case .unfinished: one.outcome = .error(type: "unfinished", message: "did not finish: \(cause)", body: "")
        case .skipped: one.outcome = .skipped(record.reason)
        case .failed, .inconclusive, .blocked:
          // Whether the plan expected it is not known yet: the case has no verdict.
          one.outcome = .skipped("\(record.outcome.rawValue), not judged: \(record.reason)")
        }
      } else {
        one.outcome = .skipped("not reached")
      }
      suite.cases.append(one)
    }
  }

  /// Between two attempts: the one that is to follow has not begun, or never will.
  private func fillCutShort(_ suite: inout JUnitSuite, _ unit: CaseUnit) {
    let asked = unit.planned?.times.map { " of \($0)" } ?? ""
    let cause =
      run.ended == nil
      ? "the run was going on, or was killed, when this was written" : "the run ended before the others"
    suite.cases = [
      JUnitSuite.Case(
        name: "verdict",
        outcome: .error(
          type: "unfinished", message: "\(unit.attempts.count)\(asked) attempts were made: \(cause)",
          body: Self.text(of: unit.attempts).joined(separator: "\n")),
        startedAt: unit.attempts.first?.startedAt)
    ]
  }

  /// In quarantine nothing counts: what failed reads as skipped, with the raw outcome.
  private func excuse(_ suite: inout JUnitSuite, _ unit: CaseUnit) {
    let quarantine = unit.quarantine.map { "\($0)" } ?? ""
    for i in suite.cases.indices {
      switch suite.cases[i].outcome {
      case .failure(_, let message, let body), .error(_, let message, let body):
        let raw = i == 0 ? "\(unit.plainResult.rawValue): \(message)" : message
        suite.cases[i].outcome = .skipped("in quarantine \(quarantine); \(raw)")
        if !body.isEmpty { suite.cases[i].output += (suite.cases[i].output.isEmpty ? "" : "\n") + body + "\n" }
        suite.cases[i].reruns = []
      case .passed, .skipped: break
      }
    }
  }

  private func fillNotStarted(_ suite: inout JUnitSuite, _ unit: CaseUnit) {
    var verdict = JUnitSuite.Case(name: "verdict")
    if run.interrupted {
      verdict.outcome = .skipped("never started: the run was interrupted")
    } else if run.ended == nil {
      verdict.outcome = .skipped("not started when this was written: the run was going on, or was killed")
    } else {
      verdict.outcome = .error(
        type: "not-started", message: "never started, although the run ended of itself", body: "")
    }
    suite.cases = [verdict]
  }

  /// The suite that says the run itself is not whole; `nil` where it is.
  func runSuite(names: inout JUnitNames) -> JUnitSuite? {
    let problem: (type: String, message: String)
    if run.interrupted {
      problem = ("interrupted", "the run was interrupted: what ran is complete, the rest is skipped")
    } else if run.ended == nil {
      problem = ("unfinished", "the run had not ended when this was written: it was going on, or was killed")
    } else if run.damagedLines > 0 {
      problem = ("damaged-journal", "\(run.damagedLines) lines of the journal could not be read: cases may be missing")
    } else {
      return nil
    }
    let unit = CaseUnit(caseID: "run")
    let id = run.header?.id ?? ""
    var suite = JUnitSuite(name: names.suite(unit, run: id), className: names.className(unit, run: id))
    suite.hostName = run.header?.hostName ?? ""
    suite.startedAt = run.header?.startedAt
    let total = max(run.header?.cases.count ?? 0, run.units.count)
    suite.cases = [
      JUnitSuite.Case(
        name: "finished",
        outcome: .error(
          type: problem.type, message: problem.message, body: "records: \(run.finished.count), cases: \(total)"))
    ]
    return suite
  }
}
