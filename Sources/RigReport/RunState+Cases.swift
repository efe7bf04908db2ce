public import RigModel

/// How a case stands, all its attempts on one device taken together.
public enum CaseResult: String, CaseIterable, Sendable {
  case pass, fail
  /// Some attempts passed and some failed: never green.
  case flaky
  case error, inconclusive, skip
  /// Did not pass, and is known not to: it does not count.
  case quarantined
  /// Began, and has no record: the run was killed or is still going.
  case unfinished
  case notStarted = "not started"
}

/// A plan case on one device: one suite of the report, whatever the number of attempts.
public struct CaseUnit: Sendable {
  public var caseID: String
  /// `nil`: never started, so no device was chosen.
  public var device: String?
  public var planned: PlannedCase?
  public var attempts: [RunState.Finished] = []
  public var running: RunState.Running?

  /// What counts. In quarantine nothing does that has a verdict other than pass and skip.
  public var result: CaseResult {
    let plain = plainResult
    guard quarantine != nil else { return plain }
    switch plain {
    case .fail, .flaky, .error, .inconclusive: return .quarantined
    case .pass, .skip, .quarantined, .unfinished, .notStarted: return plain
    }
  }

  /// The quarantine under which the last attempt ran.
  public var quarantine: Quarantine? { attempts.last?.record.quarantine }

  /// In quarantine, and passed: the quarantine can probably go.
  public var isUnexpectedPass: Bool { quarantine != nil && plainResult == .pass }

  /// The result without regard to a quarantine. A failure outranks everything: an error after it does not hide it, and a
  /// later pass makes it flaky. A pass counts only if nothing else was seen, and nothing more was to come. What proved
  /// nothing counts no more once the case was run again.
  public var plainResult: CaseResult {
    let verdicts = Set(
      attempts.enumerated().filter { index, one in
        index >= latestRun || one.record.verdict == .pass || one.record.verdict == .fail
      }.map(\.element.record.verdict))
    if verdicts.contains(.fail) { return verdicts.contains(.pass) ? .flaky : .fail }
    if running != nil || isCutShort { return .unfinished }
    if attempts.isEmpty { return .notStarted }
    if verdicts.contains(.error) { return .error }
    if verdicts.contains(.inconclusive) { return .inconclusive }
    return verdicts.contains(.pass) ? .pass : .skip
  }

  /// Which attempt decided the result: the last one with its verdict. `nil` without any.
  public var decidingIndex: Int? {
    let verdict: Verdict
    switch plainResult {
    case .fail, .flaky: verdict = .fail
    case .error: verdict = .error
    case .inconclusive: verdict = .inconclusive
    case .skip: verdict = .skip
    case .pass: verdict = .pass
    case .unfinished, .notStarted, .quarantined: return attempts.indices.last
    }
    return attempts.lastIndex { $0.record.verdict == verdict }
  }

  public var deciding: RunState.Finished? { decidingIndex.map { attempts[$0] } }

  /// Where the attempts of the latest run begin.
  private var latestRun: Int {
    attempts.indices.last { $0 > 0 && attempts[$0].runID != attempts[$0 - 1].runID } ?? 0
  }

  /// Between two attempts, or with fewer attempts than the plan asks for.
  public var isCutShort: Bool { running == nil && attempts.last?.record.isFollowed == true }

  public var passRate: PassRate {
    let passed = attempts.count { $0.record.verdict == .pass }
    return PassRate(passed: passed, judged: passed + attempts.count { $0.record.verdict == .fail })
  }

  /// The regularity in which attempts failed; `nil`: none that shows.
  public var pattern: AttemptPattern? {
    AttemptPattern.find(
      attempts.map { one in
        switch one.record.verdict {
        case .pass: false
        case .fail: true
        case .error, .inconclusive, .skip: nil
        }
      })
  }

  /// `172 of 200 attempts passed (…); every 7th attempt failed`: all attempts in a line. Empty for a single one.
  public var rateText: String {
    guard attempts.count > 1 else { return "" }
    let rate = passRate
    var text = rate.text
    let others = attempts.count - rate.judged
    if others > 0 { text += ", \(others) not judged" }
    if let planned, let times = planned.times, isCutShort { text += ", of \(times) that were asked for" }
    if let pattern { text += "; \(pattern.text)" }
    return text
  }

  /// The attempts besides the deciding one.
  public var others: [RunState.Finished] {
    let deciding = decidingIndex
    return attempts.enumerated().filter { $0.offset != deciding }.map(\.element)
  }
}

extension RunState {
  /// Every case of the run in schedule order; cases that the schedule does not name come last.
  public var units: [CaseUnit] {
    struct Key: Hashable {
      var id: String
      var device: String
    }
    var units: [CaseUnit] = []
    var index: [Key: Int] = [:]
    func place(_ id: String, _ device: String) -> Int {
      let key = Key(id: id, device: device)
      if let known = index[key] { return known }
      units.append(CaseUnit(caseID: id, device: device))
      index[key] = units.count - 1
      return units.count - 1
    }
    var byID: [String: [Int]] = [:]
    for one in finished {
      let record = one.record
      var at = index[Key(id: record.planned.id, device: record.device)]
      if record.attempt > 1, at.map({ units[$0].attempts.last?.record.attempt != record.attempt - 1 }) ?? true {
        // Run again on another device, it is still the same case.
        at = byID[record.planned.id]?.first { units[$0].attempts.last?.record.attempt == record.attempt - 1 } ?? at
      }
      let isNew = at == nil
      let place = at ?? place(record.planned.id, record.device)
      if isNew { byID[record.planned.id, default: []].append(place) }
      units[place].planned = one.record.planned
      units[place].attempts.append(one)
    }
    for one in running { units[place(one.caseID, one.device)].running = one }

    let byCase = Dictionary(grouping: units, by: \.caseID)
    var ordered: [CaseUnit] = []
    ordered.reserveCapacity(units.count)
    var taken: [String: Int] = [:]
    for planned in header?.cases ?? [] {
      let times = taken[planned.id, default: 0]
      taken[planned.id] = times + 1
      let started = byCase[planned.id] ?? []
      if times == 0 {
        for var unit in started {
          unit.planned = unit.planned ?? planned
          ordered.append(unit)
        }
      }
      if times >= started.count { ordered.append(CaseUnit(caseID: planned.id, planned: planned)) }
    }
    return ordered + units.filter { taken[$0.caseID] == nil }
  }
}
