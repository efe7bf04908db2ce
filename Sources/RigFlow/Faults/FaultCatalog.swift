public import RigModel

/// Every fault, in one list. A verb may stand here more than once, with other stages.
public enum FaultCatalog {
  public static let all: [FaultDefinition] = flow + address + hotspot + link + finish + controlLink + wire

  public static func definition(_ verb: String, at stage: StageID, in flow: FlowID) -> FaultDefinition? {
    all.first { $0.verb == verb && $0.isLegal(at: stage, in: flow) }
  }

  public static func definition(of request: FaultRequest, in flow: FlowID) -> FaultDefinition? {
    definition(request.verb, at: request.stage, in: flow)
  }

  typealias Argument = PlanVocabulary.ArgumentWords
  static let duration = Argument(name: "for", kind: .duration, required: true, summary: "how long")
}
