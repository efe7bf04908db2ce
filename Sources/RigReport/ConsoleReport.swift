public import RigModel

/// A run on a terminal or in a log: what to write to standard output after each event.
///
/// Plain mode writes whole lines only. Live mode keeps a block of lines at the bottom, one a running case, and rewrites
/// it in place with cursor sequences. Text from a device never reaches the terminal uncleaned.
public struct ConsoleReport: Sendable {
  public enum Mode: String, CaseIterable, Sendable { case plain, live }

  public struct Options: Sendable {
    public var mode: Mode
    /// Columns of the terminal; lines of the live block never wrap.
    public var width: Int
    public var color: Bool
    /// One more line for each stage that ends (`--verbose`).
    public var showsStages: Bool
    /// Name the device of each case: a rig with more than one.
    public var showsDevice: Bool

    public init(
      mode: Mode = .plain, width: Int = 80, color: Bool = false, showsStages: Bool = false, showsDevice: Bool = false
    ) {
      self.mode = mode
      self.width = width
      self.color = color
      self.showsStages = showsStages
      self.showsDevice = showsDevice
    }
  }

  public var options: Options
  /// Lines that the live block may take; further running cases are counted.
  static let liveLines = 8

  private let redactor: Redactor
  private var state: RunState
  private var done: Set<String> = []
  /// Cases of this run, those of an earlier one left out.
  private var planned = 0
  private var now: HostTime = .zero
  /// The live block as it stands on the screen.
  private var drawn: [String] = []

  /// - Parameter earlier: the run that this one goes on from: its attempts count in the summary.
  public init(options: Options = Options(), redactor: Redactor = Redactor(), earlier: RunState? = nil) {
    self.options = options
    self.redactor = redactor
    self.state = earlier ?? RunState(redactor: redactor)
  }

  /// Whether to colour: on a terminal, unless `NO_COLOR` is set to anything but the empty string (no-color.org).
  public static func usesColor(isTerminal: Bool, noColor: String?) -> Bool { isTerminal && (noColor ?? "").isEmpty }

  /// What to write for this event; often nothing.
  public mutating func apply(_ event: RunEvent) -> String {
    var lines: [String] = []
    // A line about a stage needs what is known before the event ends it.
    if options.showsStages { lines += stageLine(event) }
    state.apply(event)
    switch event {
    case .runStarted(let header):
      now = header.origin
      planned = header.cases.count
    case .caseStarted(_, _, let at): now = max(now, at)
    case .entry(_, let entry): now = max(now, entry.time)
    case .caseEnded(let record):
      now = max(now, record.ended)
      let shown = redactor.redact(record)
      if !shown.isFollowed { done.insert(shown.planned.id + "\u{0}" + shown.device) }
      lines.append(line(for: shown))
      if !shown.isFollowed, shown.attempt > 1 { lines.append(contentsOf: wholeLine(for: shown)) }
    case .runEnded(let at, _): now = max(now, at)
    }
    return write(lines)
  }

  /// The live block again, with the time as it is now; nothing in plain mode or where no line changed.
  public mutating func tick(_ now: HostTime) -> String {
    self.now = max(self.now, now)
    return write([])
  }

  /// Takes the live block off the screen, before something else writes to the terminal.
  public mutating func clear() -> String {
    defer { drawn = [] }
    return erase
  }

  /// The last words: counts, what did not pass and why, where the reports are.
  /// - Parameter isWritten: the reports hold all that ran.
  public mutating func finish(reports: String?, isWritten: Bool = true) -> String {
    let erased = clear()
    return erased + ConsoleReport.summary([state], reports: reports, options: options, isWritten: isWritten)
  }

  // MARK: Drawing

  /// Up over the block and clear to the end of the screen.
  private var erase: String { drawn.isEmpty ? "" : "\u{1B}[\(drawn.count)A\r\u{1B}[J" }

  private mutating func write(_ lines: [String]) -> String {
    let permanent = lines.map { $0 + "\n" }.joined()
    guard options.mode == .live else { return permanent }
    let block = liveBlock
    if lines.isEmpty, block == drawn { return "" }
    let out = erase + permanent + block.map { $0 + "\n" }.joined()
    drawn = block
    return out
  }

  private var liveBlock: [String] {
    guard state.ended == nil else { return [] }
    let running = state.running.filter { !$0.isStale }
    var lines = running.prefix(Self.liveLines).map { running in
      let open = running.open.map(\.id).joined(separator: ", ")
      let elapsed = ConsoleText.seconds(now - running.began)
      return fit("\(progress(next: true)) \(name(running.caseID, running.device))  \(elapsed)  \(open)")
    }
    let more = running.count - Self.liveLines
    if more > 0 { lines.append(fit("… and \(more) more")) }
    return lines
  }

  private func fit(_ text: String) -> String { TerminalText.line(text, columns: max(1, options.width - 1)) }

  private func progress(next: Bool) -> String {
    let total = max(planned, done.count)
    let number = String(min(done.count + (next ? 1 : 0), max(total, 1)))
    let pad = String(repeating: " ", count: max(0, String(total).count - number.count))
    return "[\(pad)\(number)/\(total)]"
  }

  private func name(_ caseID: String, _ device: String) -> String {
    options.showsDevice && !device.isEmpty ? "\(caseID) on \(device)" : caseID
  }

  private func line(for record: RunRecord) -> String {
    let verdict = CaseResult(rawValue: record.verdict.rawValue) ?? .error
    let result = record.quarantine == nil || record.verdict == .pass ? verdict : .quarantined
    let times = record.planned.times.map { record.attempt > $0 ? "" : " of \($0)" } ?? ""
    let attempt = record.attempt > 1 || record.isFollowed ? " (attempt \(record.attempt)\(times))" : ""
    let seconds = ConsoleText.seconds(record.ended - record.started)
    let name = TerminalText.line(name(record.planned.id, record.device), columns: 120)
    var why = ConsoleText.why(record)
    var label = ConsoleText.label(result, color: options.color)
    if let quarantine = record.quarantine {
      if record.verdict == .pass { label = ConsoleText.unexpectedPass(color: options.color) }
      why = "in quarantine \(quarantine)" + (why.isEmpty ? "" : ": \(record.verdict.rawValue): \(why)")
    }
    return "\(progress(next: record.isFollowed)) \(label)  \(name)\(attempt)  \(seconds)"
      + (why.isEmpty ? "" : "  " + TerminalText.line(why, columns: 200))
  }

  /// All attempts of a case in a line, after the last one.
  private func wholeLine(for record: RunRecord) -> [String] {
    guard
      let unit = state.units.first(where: { unit in
        unit.caseID == record.planned.id && unit.attempts.contains { $0.record.device == record.device }
      })
    else { return [] }
    let name = TerminalText.line(name(record.planned.id, record.device), columns: 120)
    return [
      "\(progress(next: false)) \(ConsoleText.label(unit.result, color: options.color))  \(name)  "
        + TerminalText.line(unit.rateText, columns: 200)
    ]
  }

  private func stageLine(_ event: RunEvent) -> [String] {
    guard case .entry(let id, let entry) = redactor.redact(event),
      case .stageEnded(let stage, let outcome, let reason) = entry.what,
      let running = state.running.last(where: { $0.caseID == id })
    else { return [] }
    let began = running.stages.last { $0.id == stage.rawValue }?.began
    let time = began.map { "  " + ConsoleText.seconds(entry.time - $0) } ?? ""
    let why = reason.isEmpty ? "" : "  \(reason)"
    return [TerminalText.line("  \(name(id, running.device)): \(stage) \(outcome.rawValue)\(time)\(why)", columns: 200)]
  }
}
