public import RigModel

/// How a case stands, all its attempts on one device taken together.
public enum CaseResult: String, CaseIterable, Sendable {
  case pass, fail
  /// Some attempts passed and some failed: never green.
  case flaky
  case error, inconclusive, skip
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

  /// A failure outranks everything: an error after it does not hide it. A pass counts only if nothing else was seen.
  public var result: CaseResult {
    let verdicts = Set(attempts.map(\.record.verdict))
    if verdicts.contains(.fail) { return verdicts.contains(.pass) ? .flaky : .fail }
    if running != nil { return .unfinished }
    if attempts.isEmpty { return .notStarted }
    if verdicts.contains(.error) { return .error }
    if verdicts.contains(.inconclusive) { return .inconclusive }
    return verdicts.contains(.pass) ? .pass : .skip
  }

  /// Which attempt decided the result: the last one with its verdict. `nil` without any.
  public var decidingIndex: Int? {
    let verdict: Verdict
    switch result {
    case .fail, .flaky: verdict = .fail
    case .error: verdict = .error
    case .inconclusive: verdict = .inconclusive
    case .skip: verdict = .skip
    case .pass: verdict = .pass
    case .unfinished, .notStarted: return attempts.indices.last
    }
    return attempts.lastIndex { $0.record.verdict == verdict }
  }

  public var deciding: RunState.Finished? { decidingIndex.map { attempts[$0] } }

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
    for one in finished {
      let at = place(one.record.planned.id, one.record.device)
      units[at].planned = one.record.planned
      units[at].attempts.append(one)
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
