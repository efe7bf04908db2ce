import RigModel

extension ConsoleReport {
  /// The end of a run, or of a merge: counts by result, every case that did not pass with its reason, the reports.
  ///
  ///     24 cases: 20 passed, 2 failed, 1 error, 1 skipped in 83.2 s (virtual time)
  ///       FAIL   mode-entry-timeout  failed at play: no key frame in 5 s
  ///     skipped: 1 needs rtsp
  ///     reports: Reports/2026-11-30
  ///
  /// - Parameter isWritten: the reports hold all that ran; `false`: what failed is told elsewhere.
  public static func summary(
    _ runs: [RunState], reports: String?, options: Options = Options(), isWritten: Bool = true
  ) -> String {
    let summary = RunSummary(runs)
    var lines: [String] = []
    var head = summary.text
    if let run = runs.first, runs.count == 1, let header = run.header, let ended = run.ended {
      head += " in \(ConsoleText.seconds(ended - header.origin))"
      if header.time == .virtual { head += " (virtual time)" }
    }
    lines.append(head)
    var skipped: [(reason: String, count: Int)] = []
    var place: [String: Int] = [:]
    var notStarted: [String] = []
    var warnings: [String] = []
    for unit in runs.flatMap(\.units) {
      switch unit.result {
      case .pass where unit.isUnexpectedPass:
        let what = "\(unit.caseID)  in quarantine \(unit.quarantine.map { "\($0)" } ?? "")"
        lines.append(
          "  \(ConsoleText.unexpectedPass(color: options.color))  \(TerminalText.line(what, columns: 200))")
      case .pass:
        if let record = unit.deciding?.record, !ConsoleText.why(record).isEmpty {
          warnings.append(
            "  \(TerminalText.line(unit.caseID, columns: 120))  \(TerminalText.line(ConsoleText.why(record), columns: 300))"
          )
        }
      case .skip:
        let reason = TerminalText.line(unit.deciding?.record.reason ?? "", columns: 200)
        if let known = place[reason] {
          skipped[known].count += 1
        } else {
          place[reason] = skipped.count
          skipped.append((reason, 1))
        }
      case .notStarted: notStarted.append(unit.caseID)
      case .fail, .flaky, .error, .inconclusive, .unfinished, .quarantined:
        let name = unit.caseID + (options.showsDevice ? unit.device.map { " on \($0)" } ?? "" : "")
        lines.append(
          "  \(ConsoleText.label(unit.result, color: options.color))  \(TerminalText.line(name, columns: 120))  "
            + TerminalText.line(why(unit), columns: 200))
      }
    }
    lines += warnings
    if !notStarted.isEmpty {
      lines.append(
        "  \(ConsoleText.label(.notStarted, color: options.color))  \(notStarted.count): "
          + TerminalText.line(notStarted.joined(separator: ", "), columns: 200))
    }
    lines += skipped.map { "skipped: \($0.count)  \($0.reason.isEmpty ? "no reason was recorded" : $0.reason)" }
    if summary.interrupted, isWritten { lines.append("interrupted: the reports are complete for what ran") }
    if let reports { lines.append("reports: \(TerminalText.line(reports, columns: 400))") }
    return lines.map { $0 + "\n" }.joined()
  }

  private static func why(_ unit: CaseUnit) -> String {
    switch unit.result {
    case .unfinished:
      let open = unit.running?.open.map(\.id).joined(separator: ", ") ?? ""
      let place = open.isEmpty ? "" : ", was in \(open)"
      return "did not finish\(place)"
        + (unit.attempts.isEmpty ? "" : "; \(unit.rateText.isEmpty ? "1 attempt ended" : unit.rateText)")
    case .quarantined:
      let what = unit.rateText.isEmpty ? unit.plainResult.rawValue : "\(unit.plainResult.rawValue), \(unit.rateText)"
      let reason = unit.deciding.map { ConsoleText.why($0.record) } ?? ""
      return "\(unit.quarantine.map { "\($0)" } ?? ""): \(what): \(reason)"
    case .notStarted: return "never started"
    case .flaky:
      return "\(unit.rateText); \(unit.deciding.map { ConsoleText.why($0.record) } ?? "")"
    case .pass, .fail, .error, .inconclusive, .skip: return unit.deciding.map { ConsoleText.why($0.record) } ?? ""
    }
  }
}

enum ConsoleText {
  /// `7.2 s`; below zero, 0.
  static func seconds(_ duration: Duration) -> String {
    let tenths = (max(0, duration.nanoseconds) / 50_000_000 + 1) / 2
    return "\(tenths / 10).\(tenths % 10) s"
  }

  /// `failed at play: no key frame in 5 s`; of a pass only what it warns of.
  static func why(_ record: RunRecord) -> String {
    switch record.verdict {
    case .pass:
      record.measures.filter { $0.outcome == .marginal }.map { "WARNING: \($0.reason)" }.joined(separator: "; ")
    case .fail, .error:
      record.reason.isEmpty && record.failurePoint == nil ? "no reason given" : record.headline
    case .inconclusive, .skip: record.reason
    }
  }

  /// The word for a result, at least five columns wide, in its colour.
  static func label(_ result: CaseResult, color: Bool) -> String {
    let (word, code) =
      switch result {
      case .pass: ("PASS", 32)
      case .fail: ("FAIL", 31)
      case .flaky: ("FLAKY", 31)
      case .error: ("ERROR", 35)
      case .inconclusive: ("INCONCLUSIVE", 33)
      case .skip: ("SKIP", 36)
      case .quarantined: ("QUARANTINED", 33)
      case .unfinished: ("UNFINISHED", 35)
      case .notStarted: ("NOT STARTED", 36)
      }
    let padded = word + String(repeating: " ", count: max(0, 5 - word.count))
    return painted(padded, code, color: color)
  }

  static func unexpectedPass(color: Bool) -> String { painted("UNEXPECTED PASS", 35, color: color) }

  private static func painted(_ text: String, _ code: Int, color: Bool) -> String {
    color ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
