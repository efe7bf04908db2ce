import RigChecks
import RigFlow
import RigModel
import RigPlan
import RigYAML

enum PlanTarget {
  /// The names of the program's own catalogs.
  private static let vocabulary = PlanVocabulary(
    flows: FlowCatalog.all.map { flow in
      PlanVocabulary.FlowWords(
        id: flow.id, stages: flow.stages.map(\.id.rawValue), gates: flow.gateOrder.map(\.rawValue),
        limits: flow.stages.filter { $0.limit != nil }.map(\.id.rawValue) + flow.limits.map(\.name),
        events: flow.events, drivable: flow.drivable)
    },
    faults: FaultCatalog.all.map { fault in
      PlanVocabulary.FaultWords(
        verb: fault.verb, layer: fault.layer.rawValue, stages: fault.stages.mapValues { $0.map(\.rawValue) },
        arguments: fault.arguments.map(\.words), summary: fault.summary)
    },
    checks: FlowCheckCatalog.infos + CheckCatalog.wire.map { $0.info }, capabilities: ["rtsp", "audio", "inject"])

  /// A plan file. It is either refused with a reason or gives its cases, and no diagnostic carries hidden characters.
  static func check(_ input: UnsafeRawBufferPointer) throws {
    let bytes = [UInt8](input)
    let reading = YAMLDocument.readPlan(
      bytes: bytes, file: "f.yaml", vocabulary: vocabulary, flows: FlowCatalog.all)
    let isRefused = reading.diagnostics.contains { $0.severity == .error }
    try require((reading.plan == nil) == isRefused, "refused without an error, or taken with one")
    let lines = bytes.count { $0 == 0x0A } + 1
    for diagnostic in reading.diagnostics {
      let text = diagnostic.description
      try require(!text.unicodeScalars.contains(where: PrintableText.isHidden), "hidden: \(text.debugDescription)")
      try require(text.utf8.count < 4000, "a diagnostic of \(text.utf8.count) bytes")
      let place = diagnostic.position
      try require((1...lines).contains(place.line) && place.column >= 1, "\(place) of \(lines) lines")
    }
    guard let plan = reading.plan else { return }
    let cases = plan.cases(seed: 1)
    try require(cases.count == plan.cellCount, "\(cases.count) cases of \(plan.cellCount) cells")
    try require(Set(cases.map(\.id)).count == cases.count, "two cases have one id")
    let set = PlanSet([reading, reading])
    try require(set.hasErrors, "a plan's id may stand twice")
    _ = Schedule(PlanSet([reading]), seed: 1, bench: Bench(capabilities: [])).plannedCases(vocabulary)
  }
}
