import RigFlow
import RigLoop
import RigModel
import RigRandom
import RigRunner

/// `random`: random sessions against the state machine, judged by rules that are written apart from it.
enum RandomCommand: Command {
  static let name = "random"
  static let summary = "Drive the session state machine through random sessions, and shrink what breaks a rule."
  static let usage = "[--sessions N | --seconds S] [--seed N] [--write FILE] | --replay FILE"
  static let options = [
    Option.value("--sessions", "N", "how many sessions (default 10000)"),
    Option.value("--seconds", "S", "go on for so long instead"),
    Option.value("--seed", "N", "the seed of the sequences (default 1)"),
    Option.value("--write", "FILE", "where a sequence that breaks a rule is written: a plan, or a list to replay"),
    Option.value("--replay", "FILE", "play a list that was written, and print what happens"),
  ]

  static func run(_ arguments: Arguments) throws -> Int32 {
    if let operand = arguments.operands.first {
      throw UsageError(description: "\(operand.debugDescription) is too much")
    }
    if let path = arguments.last("--replay") { return try replay(path) }
    if arguments.has("--sessions"), arguments.has("--seconds") {
      throw UsageError(description: "--sessions and --seconds exclude each other")
    }
    let seconds = arguments.has("--seconds") ? try arguments.number("--seconds", 1...86_400, default: 1) : nil
    let most = try arguments.number("--sessions", 1...1_000_000_000, default: 10_000)
    let seed = try arguments.seed("--seed") ?? 1
    let loop = try EpollLoop()
    let began = loop.now
    var sessions = RandomSessions(seed: seed)
    var broken: RandomSessions.Break?
    while broken == nil {
      if let seconds {
        guard loop.now - began < .seconds(seconds) else { break }
      } else if sessions.coverage.sessions >= most {
        break
      }
      broken = sessions.runOne()
    }
    let took = max((loop.now - began).inSeconds, 1e-6)
    let coverage = sessions.coverage
    Output.print(
      "\(coverage.sessions) sessions, \(coverage.events) events, seed \(seed), in \(Decimal3(took)) s: "
        + "\(Int(Double(coverage.sessions) / took)) sessions/s, \(Int(Double(coverage.events) / took)) events/s")
    print(coverage)
    guard let broken else {
      Output.print("all \(SessionRule.all.count + 2) rules hold")
      return 0
    }
    return try report(broken, seed, arguments.last("--write"))
  }

  // MARK: What was reached

  private static func print(_ coverage: SessionCoverage) {
    let header = ["stage", "began"] + SessionCoverage.outcomes.map { $0.rawValue } + ["failure point"]
    var rows = SessionCoverage.stages.map { stage in
      [stage.rawValue, "\(coverage.began[stage] ?? 0)"]
        + SessionCoverage.outcomes.map { "\(coverage.count(stage, $0))" }
        + ["\(coverage.points[FailurePoint(stage)] ?? 0)"]
    }
    for point in [FailurePoint.controlLink, .rig, .protocolOrder] {
      rows.append([point.name] + Array(repeating: "", count: 5) + ["\(coverage.points[point] ?? 0)"])
    }
    Output.raw(ColumnText.table([header] + rows, left: 1))
    let gates = Flow.rtspHotspot.gateOrder.map { "\($0) \(coverage.gates[$0] ?? 0)" }.joined(separator: ", ")
    Output.print("last gate: \(gates); succeeded: \(coverage.successes); in doubt: \(coverage.doubtful)")
    let missed = coverage.missedPoints
    if !missed.isEmpty { Output.print("no session failed at \(missed.map(\.name).joined(separator: ", "))") }
  }

  // MARK: What broke

  private static func report(_ broken: RandomSessions.Break, _ seed: UInt64, _ path: String?) throws -> Int32 {
    let rule = broken.violation.rule
    Output.print("session \(broken.number) of seed \(seed) breaks the rule \(rule): \(broken.violation.how)")
    Output.print(
      "the smallest that breaks it has \(broken.smallest.steps.count) of \(broken.found.steps.count) steps: \(broken.how)"
    )
    let list = SequenceText.write(broken.smallest, rule: rule)
    Output.raw(list)
    let plan = SequencePlan.text(for: broken.smallest, rule: rule) { sequence in
      violation(of: sequence)?.rule == rule
    }
    if let path {
      if let error = AtomicFile.write(plan ?? list, to: path) { throw error }
      Output.print(
        plan == nil
          ? "written to \(path) as a list: no fault of the catalog leads there; streamrig random --replay \(path)"
          : "written to \(path) as a plan: streamrig run --simulate \(path)")
    }
    return 1
  }

  private static func violation(of sequence: SessionSequence) -> Violation? {
    let make: (Flow, Session.Setup) -> Session = { Session(flow: $0, setup: $1) }
    return SessionTrace(sequence, on: make).violation(make)
  }

  private static func replay(_ path: String) throws -> Int32 {
    let bytes: [UInt8]
    switch PlanFiles.contents(path, limit: 1 << 22) {
    case .success(let read): bytes = read
    case .failure(let error): throw UsageError(description: "\(error)")
    }
    let read: (sequence: SessionSequence, rule: String)
    do {
      read = try SequenceText.read(String(decoding: bytes, as: UTF8.self))
    } catch {
      throw UsageError(description: "\(path): \(error)")
    }
    let trace = SessionTrace(read.sequence) { Session(flow: $0, setup: $1) }
    for moment in trace.moments {
      Output.print("\(moment.time)  \(word(moment.input))")
      for action in moment.actions { Output.print("    \(word(action))") }
    }
    let end = trace.failure.map { "failed at \($0.point): \($0.reason)" } ?? "no failure"
    Output.print("\(end); last gate \(trace.reached.map { "\($0)" } ?? "none")")
    guard let violation = violation(of: read.sequence) else {
      Output.print("all rules hold")
      return 0
    }
    Output.print("breaks the rule \(violation.rule): \(violation.how)")
    return 1
  }

  private static func word(_ input: Session.Input) -> String {
    switch input {
    case .event(let event): "event \(event.name)\(event.run.map { " of \($0)" } ?? "") \(event.data.text)"
    case .fact(let fact): "fact \(fact.kind.rawValue)"
    default: "\(input)"
    }
  }

  private static func word(_ action: Session.Action) -> String {
    switch action {
    case .stageBegan(let id, let deadline): "\(id) began\(deadline.map { ", until \($0)" } ?? "")"
    case .stageEnded(let id, let outcome, let reason): "\(id) \(outcome.rawValue)\(reason.isEmpty ? "" : ": \(reason)")"
    default: "\(action)"
    }
  }
}
