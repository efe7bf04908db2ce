import RigFlow
import RigModel
import RigPlan
import RigYAML
import Testing

@testable import RigRandom

@Suite struct SequencePlanTests {
  private static func point(of sequence: SessionSequence) -> FailurePoint? {
    SessionTrace(sequence) { Session(flow: $0, setup: $1) }.failure?.point
  }

  /// What a plan says is right is what a session does whose device shows the fault; what only the checks see succeeds.
  @Test(arguments: SequencePlan.all) func theScriptFailsWhereThePlanSays(deviation: SequencePlan.Deviation) {
    let point = SequencePlanTests.point(of: deviation.script)
    #expect(point == (deviation.blame == .protocolOrder ? nil : deviation.blame), "\(deviation.verb)")
    #expect(FaultCatalog.definition(deviation.verb, at: deviation.stage, in: .rtspHotspot) != nil)
  }

  @Test(arguments: SequencePlan.all) func thePlanIsRead(deviation: SequencePlan.Deviation) throws {
    let text = SequencePlan.text(of: deviation, rule: "limits")
    let reading = YAMLDocument.readPlan(
      bytes: Array(text.utf8), file: "random.yaml", vocabulary: SequencePlanTests.vocabulary)
    #expect(reading.diagnostics.isEmpty, "\(reading.diagnostics)")
    #expect(try #require(reading.plan).plan.expect.failed == deviation.blame)
  }

  /// The names that plans may use, as the program gathers them.
  private static let vocabulary = PlanVocabulary(
    flows: FlowCatalog.all.map { flow in
      PlanVocabulary.FlowWords(
        id: flow.id, stages: flow.stages.map(\.id.rawValue), gates: flow.gateOrder.map(\.rawValue),
        limits: flow.stages.map(\.id.rawValue), events: flow.events, drivable: flow.drivable)
    },
    faults: FaultCatalog.all.map { fault in
      PlanVocabulary.FaultWords(
        verb: fault.verb, layer: fault.layer.rawValue, stages: fault.stages.mapValues { $0.map(\.rawValue) },
        arguments: fault.arguments.map(\.words), summary: fault.summary)
    }, checks: [], capabilities: ["rtsp"])

  /// A bug that a device's fault shows is written as that fault's plan; one that no fault reaches is not.
  @Test func aPlanIsWrittenOnlyWhereItsOwnSessionShowsTheBreak() {
    let sequence = SessionSequence(
      playFor: 0,
      steps: [
        .init(after: 0, .preflightPassed),
        .init(after: 0, .event(RandomEvent("hotspotConfigureCompletion", ["success": false]))),
      ])
    let text = SequencePlan.text(for: sequence, rule: "failed-at-once") { $0.steps.count > 2 }
    #expect(text?.contains("{at: configure-hotspot, do: refuse}") == true)
    #expect(SequencePlan.text(for: sequence, rule: "failed-at-once") { _ in false } == nil)
  }
}
