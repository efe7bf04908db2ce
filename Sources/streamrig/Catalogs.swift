import RigChecks
import RigFlow
import RigModel

/// The names that plans may use, gathered from the catalogs.
enum Catalogs {
  /// What the emulated devices that a run starts can do.
  static let capabilities = ["rtsp", "audio", "inject"]

  static var vocabulary: PlanVocabulary {
    PlanVocabulary(
      flows: FlowCatalog.all.map { flow in
        PlanVocabulary.FlowWords(
          id: flow.id, stages: flow.stages.map(\.id.rawValue), gates: flow.gateOrder.map(\.rawValue),
          limits: flow.stages.filter { $0.limit != nil }.map(\.id.rawValue) + flow.limits.map(\.name),
          events: flow.events,
          opens: Dictionary(
            flow.stages.compactMap { stage in stage.gate.map { ($0.rawValue, stage.id.rawValue) } },
            uniquingKeysWith: { $1 }),
          drivable: flow.drivable)
      },
      faults: FaultCatalog.all.map { fault in
        PlanVocabulary.FaultWords(
          verb: fault.verb, layer: fault.layer.rawValue, stages: fault.stages.mapValues { $0.map(\.rawValue) },
          arguments: fault.arguments.map(\.words), summary: fault.summary)
      },
      checks: FlowCheckCatalog.infos + CheckCatalog.infos,
      capabilities: capabilities + FaultDefinition.Capability.allCases.map(\.rawValue))
  }
}
