import RigModel

extension JUnitSuiteBuilder {
  /// Everything of a case that has a record.
  func fill(_ suite: inout JUnitSuite, _ unit: CaseUnit, _ deciding: RunState.Finished) {
    let record = deciding.record
    suite.cases.append(verdict(unit, deciding))
    for (index, stage) in Self.ordered(record.stages, by: record.planned.stages).enumerated() {
      suite.cases.append(stageCase(Self.stageName(index, stage.id), stage.record, deciding))
    }
    for group in record.checks { suite.cases.append(groupCase(group, record)) }
    suite.cases += measureCases(record)
  }

  /// One testcase for each measurement, and for each limit on one that was not made.
  private func measureCases(_ record: RunRecord) -> [JUnitSuite.Case] {
    var cases: [JUnitSuite.Case] = []
    for measurement in record.measurements {
      var one = JUnitSuite.Case(name: "measure.\(measurement.name)")
      one.output = "\(measurement.name) = \(Self.text(of: measurement))"
      judge(&one, record.measures.filter { $0.measurement == measurement.name }, record)
      cases.append(one)
    }
    let made = Set(record.measurements.map(\.name))
    for measure in record.measures where !made.contains(measure.measurement) {
      var one = JUnitSuite.Case(name: "measure.\(measure.measurement)")
      judge(&one, [measure], record)
      cases.append(one)
    }
    return cases
  }

  private func judge(_ one: inout JUnitSuite.Case, _ measures: [MeasureRecord], _ record: RunRecord) {
    for measure in measures {
      one.properties.append(("limit", measure.limit))
      if !one.output.isEmpty { one.output += "\n" }
      one.output += (measure.outcome == .marginal ? "WARNING: " : "") + measure.reason
    }
    if record.verdict == .skip {
      one.outcome = .skipped("the case is skipped: \(record.reason)")
    } else if let over = measures.first(where: { $0.outcome == .exceeded }),
      record.expectation.failed != FailurePoint(over.stage)
    {
      one.outcome = outcome(of: record, type: over.measurement, message: over.reason, body: over.reason)
    } else if let unknown = measures.first(where: { $0.outcome == .notMade }) {
      one.outcome = weak(record, unknown.reason)
    }
  }

  // MARK: Verdict

  private func verdict(_ unit: CaseUnit, _ deciding: RunState.Finished) -> JUnitSuite.Case {
    let record = deciding.record
    let point = record.failurePoint?.name
    var one = JUnitSuite.Case(name: "verdict", startedAt: deciding.startedAt)
    one.output = account(unit, record)
    one.attachments = unit.attempts.flatMap { $0.record.artifacts.map(\.path) }
    one.properties = [("attempt", "\(record.attempt)")]
    if let point { one.properties.append(("failure-point", point)) }
    if let reached = record.reached { one.properties.append(("reached", reached.rawValue)) }
    let headline = record.headline
    let reason = record.reason.isEmpty ? "no reason was recorded" : record.reason
    switch unit.plainResult {
    case .fail:
      one.outcome = .failure(type: point ?? "unexpected", message: headline, body: evidence(record))
    case .flaky:
      let failed = unit.attempts.count { $0.record.verdict == .fail }
      let pattern = unit.pattern.map { " (\($0.text))" } ?? ""
      one.outcome = .failure(
        type: "flaky", message: "flaky: \(failed) of \(unit.attempts.count) attempts failed\(pattern); \(headline)",
        body: evidence(record))
    case .error:
      let idle = record.faults.contains { !$0.fired }
      one.outcome = .error(
        type: point ?? (idle ? "fault-not-fired" : "rig"), message: reason, body: evidence(record))
    case .inconclusive:
      one.outcome = .error(type: "inconclusive", message: reason, body: evidence(record))
    case .skip: one.outcome = .skipped(reason)
    case .pass, .unfinished, .notStarted, .quarantined: break
    }
    one.reruns = unit.others.compactMap { other in
      let isFailure = other.record.verdict == .fail
      guard isFailure || other.record.verdict == .error else { return nil }
      let kind = unit.plainResult == .flaky ? "flaky" : "rerun"
      return JUnitSuite.Rerun(
        element: kind + (isFailure ? "Failure" : "Error"), type: other.record.failurePoint?.name ?? "rig",
        message: "attempt \(other.record.attempt): \(other.record.reason)")
    }
    return one
  }

  /// The case told in lines: what was expected, what came, which faults fired.
  private func account(_ unit: CaseUnit, _ record: RunRecord) -> String {
    var lines = ["verdict: \(unit.result.rawValue)"]
    if let quarantine = unit.quarantine {
      lines.append(unit.isUnexpectedPass ? "UNEXPECTED PASS in quarantine \(quarantine)" : "quarantine: \(quarantine)")
    }
    if !unit.rateText.isEmpty { lines.append("attempts: \(unit.rateText)") }
    if !record.reason.isEmpty { lines.append("reason: \(record.reason)") }
    var expected: [String] = []
    if let failed = record.expectation.failed { expected.append("failed at \(failed)") }
    if let reached = record.expectation.reached { expected.append("reached \(reached.rawValue)") }
    if !record.expectation.never.isEmpty {
      expected.append("never " + record.expectation.never.joined(separator: ", "))
    }
    lines.append("expected: " + (expected.isEmpty ? "success, ended by user stop" : expected.joined(separator: "; ")))
    if let point = record.failurePoint { lines.append("failed at: \(point)") }
    lines.append("reached: \(record.reached?.rawValue ?? "no gate")")
    lines += record.faults.map { Self.text(of: $0, over: true) }
    lines += Self.text(of: unit.others)
    lines += record.artifacts.map { "file: \($0.path)" + ($0.title.isEmpty ? "" : " (\($0.title))") }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Why the verdict is what it is, with the evidence; at most 40 findings.
  private func evidence(_ record: RunRecord) -> String {
    var lines: [String] = []
    if !record.reason.isEmpty { lines.append(record.reason) }
    if let point = record.failurePoint {
      lines.append("failure point: \(point)")
      if let stage = record.stages.last(where: { $0.id == point.name }), !stage.reason.isEmpty {
        lines.append("stage \(stage.id): \(stage.reason)" + (stage.limit.map { " (limit \($0.text))" } ?? ""))
      }
    }
    lines += record.faults.filter { !$0.fired }.map { Self.text(of: $0, over: true) }
    let findings = record.checks.flatMap(\.findings).filter { $0.severity == .error }
    lines += findings.prefix(40).map(EvidenceText.text)
    if findings.count > 40 { lines.append("and \(findings.count - 40) more findings, at their check groups") }
    return lines.joined(separator: "\n")
  }

  static func text(of fault: FaultRecord, over: Bool) -> String {
    "fault: \(fault.text): " + (fault.fired ? "fired" : over ? "did not fire" : "not fired yet")
      + (fault.proof.isEmpty ? "" : ": \(fault.proof)")
  }

  static func text(of attempts: [RunState.Finished]) -> [String] {
    attempts.map { "attempt \($0.record.attempt): \($0.record.verdict.rawValue): \($0.record.reason)" }
  }

  // MARK: Stages

  /// `01 preflight`: the place in the flow, so that readers which sort by name keep the order.
  static func stageName(_ index: Int, _ id: String) -> String { (index < 9 ? "0" : "") + "\(index + 1) \(id)" }

  /// The flow's stages, each with its record, then records of stages that the flow does not name or that came again.
  static func ordered(_ records: [StageRecord], by stages: [String]) -> [(id: String, record: StageRecord?)] {
    var first: [String: Int] = [:]
    for (index, record) in records.enumerated() where first[record.id] == nil { first[record.id] = index }
    let planned = stages.map { (id: $0, record: first[$0].map { records[$0] }) }
    let used = Set(stages.compactMap { first[$0] })
    return planned + records.enumerated().filter { !used.contains($0.offset) }.map { ($0.element.id, $0.element) }
  }

  private func stageCase(_ name: String, _ stage: StageRecord?, _ deciding: RunState.Finished) -> JUnitSuite.Case {
    let record = deciding.record
    var one = JUnitSuite.Case(name: name)
    guard let stage else {
      one.outcome = .skipped("no record of this stage")
      return one
    }
    one.milliseconds = stage.duration?.reportMilliseconds ?? 0
    // By its own run's clock: the latest run may have another origin.
    if let began = stage.began, let startedAt = deciding.startedAt {
      one.startedAt = startedAt.addingReportingOverflow((began - record.started).nanoseconds).partialValue
    }
    if let limit = stage.limit { one.properties.append(("limit", limit.text)) }
    one.properties.append(("outcome", stage.outcome.rawValue))
    let expected = stage.expectedToFail || record.expectation.failed == FailurePoint(name: stage.id)
    let reason = stage.reason.isEmpty ? "no reason was recorded" : stage.reason
    let limit = stage.limit.map { "\nlimit: \($0.text)" } ?? ""
    switch stage.outcome {
    case .passed:
      if record.verdict == .skip { one.outcome = .skipped("passed, in a case that is skipped: \(record.reason)") }
    case .skipped: one.outcome = .skipped(reason)
    case .blocked:
      let cause = stage.reason.isEmpty ? record.failurePoint.map { "blocked: failed at \($0)" } : nil
      one.outcome = .skipped(cause ?? (reason.hasPrefix("blocked") ? reason : "blocked: \(reason)"))
    case .failed where expected && record.verdict != .skip:
      one.output = "failed as expected: \(reason)\(limit)\n"
    case .failed, .unfinished:
      let word = stage.outcome == .failed ? "failed" : "did not finish"
      one.outcome = outcome(
        of: record, type: stage.outcome.rawValue, message: "\(word): \(reason)", body: reason + limit)
      if case .passed = one.outcome { one.output = "\(word), and the case's verdict is pass: \(reason)\(limit)\n" }
    case .inconclusive:
      one.outcome = weak(record, reason)
      if case .passed = one.outcome { one.output = "inconclusive: \(reason)\n" }
    }
    return one
  }

  /// How a fault of the subject counts beside the verdict (rules 3 to 6).
  private func outcome(of record: RunRecord, type: String, message: String, body: String) -> JUnitSuite.Outcome {
    switch record.verdict {
    case .pass: .passed
    case .fail: .failure(type: type, message: message, body: body)
    case .error: .error(type: type, message: message, body: body)
    case .inconclusive: .error(type: "inconclusive", message: message, body: body)
    case .skip: .skipped(message)
    }
  }

  private func weak(_ record: RunRecord, _ reason: String) -> JUnitSuite.Outcome {
    switch record.verdict {
    case .pass: .passed
    case .skip: .skipped("inconclusive: \(reason)")
    case .fail, .error, .inconclusive: .error(type: "inconclusive", message: "inconclusive: \(reason)", body: "")
    }
  }

  // MARK: Checks

  private func groupCase(_ group: CheckGroupRecord, _ record: RunRecord) -> JUnitSuite.Case {
    var one = JUnitSuite.Case(name: "checks.\(group.group)")
    one.properties = [("judged", group.judged.joined(separator: " "))]
    let expectedStage = record.expectation.failed.map { StageID(rawValue: $0.name) }
    let isFault = { (finding: Finding) in
      finding.severity == .error && (finding.stage == nil || finding.stage != expectedStage)
    }
    let faults = group.findings.filter(isFault)
    let others = record.verdict == .pass ? group.findings : group.findings.filter { !isFault($0) }
    one.output = others.map { EvidenceText.text($0) + "\n" }.joined()
    if let worst = faults.first, record.verdict != .pass {
      let more = faults.count > 1 ? " (and \(faults.count - 1) more)" : ""
      one.outcome = outcome(
        of: record, type: worst.check, message: "\(worst.check): \(worst.message)\(more)",
        body: faults.map(EvidenceText.text).joined(separator: "\n"))
    } else if !group.inconclusive.isEmpty {
      one.outcome = weak(record, group.inconclusive)
      if case .passed = one.outcome { one.output += "inconclusive: \(group.inconclusive)\n" }
    } else if !group.skipped.isEmpty {
      one.outcome = .skipped(group.skipped)
    } else if record.verdict == .skip {
      one.outcome = .skipped("the case is skipped: \(record.reason)")
    }
    return one
  }
}
