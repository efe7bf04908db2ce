import RigModel

/// The names that may be used in one plan: the whole vocabulary, narrowed to the plan's flow once that is known.
struct PlanScope: Sendable {
  let vocabulary: PlanVocabulary
  /// `nil`: the flow is missing or misspelt, so that names of any flow pass.
  let flow: PlanVocabulary.FlowWords?

  /// The flows that lend their names.
  private var flows: [PlanVocabulary.FlowWords] { flow.map { [$0] } ?? vocabulary.flows }

  private func union(_ words: (PlanVocabulary.FlowWords) -> [String]) -> [String] {
    PlanScope.unique(flows.flatMap(words))
  }

  static func unique(_ words: [String]) -> [String] {
    var seen: Set<String> = []
    return words.filter { seen.insert($0).inserted }
  }

  /// The words of a list, in the order in which messages and the schema name them.
  func words(_ list: WordList) -> [String] {
    switch list {
    case .fixed(let words, _): words
    case .flows: vocabulary.flows.map(\.id.rawValue)
    case .capabilities: vocabulary.capabilities
    case .stages: union(\.stages)
    case .failurePoints: union(\.stages) + FailurePoint.beyondStages.map(\.name)
    case .gates: union(\.gates)
    case .limits: union(\.limits)
    case .events: union(\.events)
    case .faults: PlanScope.unique(vocabulary.faults.map(\.verb))
    case .checks: vocabulary.checks.map(\.id)
    }
  }

  /// Whether the list holds the word; unlike `words`, without making the list.
  func contains(_ word: String, in list: WordList) -> Bool {
    switch list {
    case .fixed(let words, _): words.contains(word)
    case .flows: FlowID(rawValue: word).map { id in vocabulary.flows.contains { $0.id == id } } ?? false
    case .capabilities: vocabulary.capabilities.contains(word)
    case .stages: flows.contains { $0.stages.contains(word) }
    case .failurePoints:
      flows.contains { $0.stages.contains(word) } || FailurePoint.beyondStages.contains { $0.name == word }
    case .gates: flows.contains { $0.gates.contains(word) }
    case .limits: flows.contains { $0.limits.contains(word) }
    case .events: flows.contains { $0.events.contains(word) }
    case .faults: vocabulary.faults.contains { $0.verb == word }
    case .checks: vocabulary.checks.contains { $0.id == word }
    }
  }

  /// What a word of the list is called: `a stage of rtsp-hotspot`.
  func noun(_ list: WordList) -> String {
    let suffix = flow.map { " of \($0.id.rawValue)" } ?? " of any flow"
    switch list {
    case .fixed(_, let noun): return noun
    case .flows: return "a flow"
    case .capabilities: return "a capability"
    case .stages: return "a stage" + suffix
    case .failurePoints: return "a failure point" + suffix
    case .gates: return "a gate" + suffix
    case .limits: return "a limit" + suffix
    case .events: return "an event" + suffix
    case .faults: return "a fault"
    case .checks: return "a check"
    }
  }
}

/// Where the names of a field come from.
enum WordList: Hashable, Sendable {
  case fixed([String], noun: String)
  case flows, capabilities, stages, failurePoints, gates, limits, events, faults, checks
}
