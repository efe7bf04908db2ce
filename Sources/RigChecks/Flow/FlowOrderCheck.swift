import RigFlow
import RigModel

/// `flow.order`: stages begin in order, with exactly one completion per beginning.
struct OrderCheck: FlowCheck {
  static let info = FlowCheckCatalog.rule(
    "flow.order", "stages begin in order; exactly one completion per beginning; a beginning is not repeated")

  /// A stage as its events show it.
  private struct Seen {
    let id: StageID
    let begin: String
    let completion: String
    var began = 0
    var completed = 0
    /// A later stage began before this one was over: told once, and not again by the stages after it.
    var isTold = false
  }

  private let context: FlowContext
  private var stages: [Seen]
  private var singles: [String: Int] = [:]
  private var isOver = false
  private var findings = FlowFindings()

  init(_ context: FlowContext) {
    self.context = context
    stages = context.flow.stages.compactMap { stage in
      guard case .event(let begin) = stage.begins else { return nil }
      let completion = stage.completes.lazy.compactMap(\.eventName).first
      return completion.map { Seen(id: stage.id, begin: begin, completion: $0) }
    }
  }

  mutating func see(_ entry: TimelineEntry) {
    // Once a stage has failed, what still comes is judged by flow.failure-is-terminal and flow.finish-once.
    if case .stageEnded(_, .failed, _) = entry.what { isOver = true }
    guard case .event(let event) = entry.what, context.owns(event), !isOver else { return }
    if event.name == "sessionFinish" { isOver = true }
    for name in ["rtspAddressReceived", "sessionStartCompletion"] where event.name == name {
      singles[name, default: 0] += 1
      if let n = singles[name], n > 1 { findings.append(finding("\(name) came again", at: event)) }
    }
    for i in stages.indices {
      if event.name == stages[i].completion { completion(of: i, event) }
      if event.name == stages[i].begin { beginning(of: i, event) }
    }
  }

  private mutating func beginning(of i: Int, _ event: DeviceEvent) {
    stages[i].began += 1
    if stages[i].began > 1 { findings.append(finding("\(event.name) came again", at: event)) }
    for j in stages.indices where j < i && stages[j].completed == 0 && !stages[j].isTold {
      let what = stages[j].began == 0 ? stages[j].begin : stages[j].completion
      findings.append(finding("\(event.name) came before \(what)", at: event))
      stages[j].isTold = true
    }
  }

  private mutating func completion(of i: Int, _ event: DeviceEvent) {
    if stages[i].began == 0 {
      findings.append(finding("\(event.name) came without \(stages[i].begin)", at: event))
      stages[i].began = 1
    }
    stages[i].completed += 1
    if stages[i].completed > 1, event.name != stages[min(i + 1, stages.count - 1)].begin {
      findings.append(finding("\(event.name) came again", at: event))
    }
  }

  mutating func finish() -> [Finding] { findings.list }
}
