import RigModel

// Writing and reading of each kind of event stand side by side, so that a change to one is seen beside the other.

extension JournalFields {
  static func value(_ event: RunEvent) -> JSONValue {
    switch event {
    case .runStarted(let header):
      ["kind": "run-started", "v": .integer(JournalLine.version), "run": value(header)]
    case .caseStarted(let id, let device, let at):
      ["kind": "case-started", "case": .string(id), "device": .string(device), "at": .time(at)]
    case .entry(let id, let entry):
      ["kind": "entry", "case": .string(id), "at": .time(entry.time), "what": value(entry.what)]
    case .caseEnded(let record):
      ["kind": "case-ended", "record": value(record)]
    case .runEnded(let at, let interrupted):
      ["kind": "run-ended", "at": .time(at), "interrupted": .bool(interrupted)]
    }
  }

  func event() throws(JournalProblem) -> RunEvent {
    switch try string("kind") {
    case "run-started": .runStarted(try object("run").header())
    case "case-started":
      .caseStarted(caseID: try string("case"), device: try string("device"), at: try time("at"))
    case "entry":
      .entry(caseID: try string("case"), TimelineEntry(try time("at"), try object("what").what()))
    case "case-ended": .caseEnded(try object("record").record())
    case "run-ended": .runEnded(at: try time("at"), interrupted: bool("interrupted"))
    case let kind: throw .unknown("kind \(kind)")
    }
  }

  // MARK: Run

  private static func value(_ header: RunHeader) -> JSONValue {
    [
      "id": .string(header.id), "version": .string(header.version), "startedAt": .exact(header.startedAt),
      "origin": .time(header.origin), "host": .string(header.hostName), "rig": header.rig.map { .string($0) },
      "seed": .exact(header.seed),
      "time": .string(header.time.rawValue), "cases": .list(header.cases, value),
    ]
  }

  private func header() throws(JournalProblem) -> RunHeader {
    // A case of a flow that this version does not know is left out; the run is still readable without it.
    var cases: [PlannedCase] = []
    for item in list("cases") {
      do throws(JournalProblem) {
        cases.append(try item.planned())
      } catch {
        if case .missing = error { throw error }
      }
    }
    return RunHeader(
      id: try string("id"), version: text("version"), startedAt: try int64("startedAt"), origin: try time("origin"),
      hostName: text("host"), rig: optional("rig")?.string, seed: try uint64("seed"),
      time: try word("time", RunHeader.TimeKind.self), cases: cases)
  }

  static func value(_ planned: PlannedCase) -> JSONValue {
    [
      "id": .string(planned.id), "plan": .string(planned.plan), "title": .nonEmpty(planned.title),
      "flow": planned.flow.map { .string($0.rawValue) }, "file": .nonEmpty(planned.file),
      "stages": .list(planned.stages), "times": planned.times.map { .exact(Int64($0)) },
    ]
  }

  func planned() throws(JournalProblem) -> PlannedCase {
    PlannedCase(
      id: try string("id"), plan: try string("plan"), title: text("title"), flow: try optionalWord("flow", FlowID.self),
      file: text("file"), stages: strings("stages"), times: int("times"))
  }

  // MARK: Timeline

  static func value(_ what: TimelineEntry.What) -> JSONValue {
    switch what {
    case .stageBegan(let stage, let deadline):
      ["is": "stage-began", "stage": .string(stage.rawValue), "deadline": deadline.map { .time($0) }]
    case .stageEnded(let stage, let outcome, let reason):
      [
        "is": "stage-ended", "stage": .string(stage.rawValue), "outcome": .string(outcome.rawValue),
        "reason": .nonEmpty(reason),
      ]
    case .gate(let gate): ["is": "gate", "gate": .string(gate.rawValue)]
    case .event(let event): ["is": "event", "event": value(event)]
    case .fact(let fact):
      [
        "is": "fact", "fact": .string(fact.kind.rawValue), "witness": .string(fact.witness.rawValue),
        "at": .time(fact.time), "detail": .nonEmpty(fact.detail),
      ]
    case .action(let text): ["is": "action", "text": .string(text)]
    case .faultArmed(let text, let id): ["is": "fault-armed", "text": .string(text), "id": .string(id)]
    case .faultFired(let text, let proof): ["is": "fault-fired", "text": .string(text), "proof": .string(proof)]
    case .finding(let finding): ["is": "finding", "finding": value(finding)]
    case .deviceLog(let text): ["is": "device-log", "text": .string(text)]
    case .note(let text): ["is": "note", "text": .string(text)]
    }
  }

  private func what() throws(JournalProblem) -> TimelineEntry.What {
    switch try string("is") {
    case "stage-began": .stageBegan(StageID(rawValue: try string("stage")), deadline: optionalTime("deadline"))
    case "stage-ended":
      .stageEnded(
        StageID(rawValue: try string("stage")), try word("outcome", StageOutcome.self), reason: text("reason"))
    case "gate": .gate(try word("gate", Gate.self))
    case "event": .event(try object("event").deviceEvent())
    case "fact":
      .fact(
        Fact(
          try word("fact", FactKind.self), by: try word("witness", Witness.self), at: try time("at"),
          detail: text("detail")))
    case "action": .action(try string("text"))
    case "fault-armed": .faultArmed(try string("text"), id: try string("id"))
    case "fault-fired": .faultFired(try string("text"), proof: try string("proof"))
    case "finding": .finding(try object("finding").finding())
    case "device-log": .deviceLog(try string("text"))
    case "note": .note(try string("text"))
    case let kind: throw .unknown("entry \(kind)")
    }
  }

  private static func value(_ event: DeviceEvent) -> JSONValue {
    [
      "name": .string(event.name), "source": .string(event.source), "boot": .string(event.boot),
      "run": event.run.map { .string($0) }, "seq": .exact(event.sequence), "received": .time(event.received),
      "occurred": event.occurred.map { .time($0) }, "error": event.timeError.map { .duration($0) },
      "data": event.data.readable(),
    ]
  }

  private func deviceEvent() throws(JournalProblem) -> DeviceEvent {
    DeviceEvent(
      received: try time("received"), occurred: optionalTime("occurred"), timeError: duration("error"),
      sequence: try int64("seq"), boot: text("boot"), run: optional("run")?.string, name: try string("name"),
      source: text("source"), data: optional("data") ?? .null)
  }
}
