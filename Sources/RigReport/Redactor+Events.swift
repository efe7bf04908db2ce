public import RigModel

extension Redactor {
  /// The event with every text in it redacted, ids included: what a sink may keep.
  public func redact(_ event: RunEvent) -> RunEvent {
    switch event {
    case .runStarted(var header):
      header.cases = header.cases.map(redact)
      header.rig = header.rig.map(redact)
      return .runStarted(header)
    case .caseStarted(let id, let device, let at):
      return .caseStarted(caseID: redact(id), device: redact(device), at: at)
    case .entry(let id, let entry):
      return .entry(caseID: redact(id), redact(entry))
    case .caseEnded(let record):
      return .caseEnded(redact(record))
    case .runEnded:
      return event
    }
  }

  public func redact(_ record: RunRecord) -> RunRecord {
    var out = record
    out.planned = redact(record.planned)
    out.device = redact(record.device)
    out.reason = redact(record.reason)
    if let quarantine = record.quarantine {
      out.quarantine = Quarantine(
        bug: redact(quarantine.bug), owner: redact(quarantine.owner), until: quarantine.until)
    }
    for i in out.stages.indices { out.stages[i].reason = redact(out.stages[i].reason) }
    out.faults = record.faults.map { FaultRecord(text: redact($0.text), fired: $0.fired, proof: redact($0.proof)) }
    for i in out.checks.indices {
      out.checks[i].skipped = redact(out.checks[i].skipped)
      out.checks[i].inconclusive = redact(out.checks[i].inconclusive)
      out.checks[i].findings = out.checks[i].findings.map(redact)
    }
    for i in out.measures.indices { out.measures[i].reason = redact(out.measures[i].reason) }
    out.properties = record.properties.map { property in
      let hidden = Self.isSecretName(property.name) && !property.value.isEmpty
      return RunRecord.Property(redact(property.name), hidden ? Self.marker : redact(property.value))
    }
    out.artifacts = record.artifacts.map { Artifact(path: redact($0.path), title: redact($0.title)) }
    return out
  }

  func redact(_ planned: PlannedCase) -> PlannedCase {
    var out = planned
    out.id = redact(planned.id)
    out.plan = redact(planned.plan)
    out.title = redact(planned.title)
    out.file = redact(planned.file)
    return out
  }

  func redact(_ finding: Finding) -> Finding {
    var out = finding
    out.message = redact(finding.message)
    out.first = redact(finding.first)
    out.last = finding.last.map(redact)
    return out
  }

  private func redact(_ evidence: Evidence) -> Evidence {
    var out = evidence
    out.file = evidence.file.map { redact($0) }
    out.excerpt = evidence.excerpt.map { redact($0) }
    return out
  }

  func redact(_ entry: TimelineEntry) -> TimelineEntry {
    let what: TimelineEntry.What =
      switch entry.what {
      case .stageBegan, .gate: entry.what
      case .stageEnded(let stage, let outcome, let reason): .stageEnded(stage, outcome, reason: redact(reason))
      case .event(let event): .event(redact(event))
      case .fact(let fact): .fact(Fact(fact.kind, by: fact.witness, at: fact.time, detail: redact(fact.detail)))
      case .action(let text): .action(redact(text))
      case .faultArmed(let text, let id): .faultArmed(redact(text), id: redact(id))
      case .faultFired(let text, let proof): .faultFired(redact(text), proof: redact(proof))
      case .finding(let finding): .finding(redact(finding))
      case .deviceLog(let text): .deviceLog(redact(text))
      case .note(let text): .note(redact(text))
      }
    return TimelineEntry(entry.time, what)
  }

  private func redact(_ event: DeviceEvent) -> DeviceEvent {
    var out = event
    out.boot = redact(event.boot)
    out.run = event.run.map { redact($0) }
    out.name = redact(event.name)
    out.source = redact(event.source)
    out.data = redact(event.data, depth: 0)
    return out
  }

  /// Deeper than any reader goes, a value is replaced whole rather than followed.
  private func redact(_ value: JSONValue, depth: Int) -> JSONValue {
    switch value {
    case .string(let text): return .string(redact(text))
    case .array(let values):
      return depth < 64 ? .array(values.map { redact($0, depth: depth + 1) }) : .string("[too deep]")
    case .object(let members):
      guard depth < 64 else { return .string("[too deep]") }
      return .object(
        members.map { member in
          let hidden = Self.isSecretName(member.key) && !member.value.isNull
          let key = redact(member.key)
          return JSONValue.Member(key, hidden ? .string(Self.marker) : redact(member.value, depth: depth + 1))
        })
    case .null, .bool, .integer, .number: return value
    }
  }
}
