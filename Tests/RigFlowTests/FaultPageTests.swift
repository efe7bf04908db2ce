import RigFlow
import RigModel
import Testing

@Suite struct FaultPageTests {
  @Test func everyFaultHasItsPage() {
    for definition in FaultCatalog.all {
      let page = FaultPage(definition).text
      #expect(definition.about.hasSuffix("."), "\(definition.id)")
      for part in ["\(definition.id): ", "at: ", "proof: ", "leads to: ", "example:", "do: \(definition.verb)"] {
        #expect(page.contains(part), "\(definition.id): \(part)")
      }
      for argument in definition.arguments {
        #expect(page.contains("\n  \(argument.name): "), "\(definition.id): \(argument.name)")
        // What is left out has a meaning: a default, or one that the text tells.
        #expect(
          argument.required || argument.standard != nil || argument.summary.contains("left out"),
          "\(definition.id): \(argument.name)")
        if argument.required { #expect(argument.example != nil || argument.standard != nil, "\(definition.id)") }
      }
      #expect(page.split(separator: "\n").allSatisfy { $0.count <= 100 }, "\(definition.id)")
      #expect(FaultPage(definition).json["id"]?.string == definition.id)
    }
  }

  @Test func idsAreUniqueAndVerbsMayMeanSeveral() {
    #expect(Set(FaultCatalog.all.map(\.id)).count == FaultCatalog.all.count)
    #expect(FaultCatalog.named("rtp.drop").map(\.id) == ["rtp.drop"])
    #expect(FaultCatalog.named("rtp drop").map(\.id) == ["rtp.drop"])
    #expect(FaultCatalog.named("drop").map(\.id) == ["flow.drop", "rtp.drop"])
    #expect(FaultCatalog.named("melt").isEmpty)
  }

  @Test func whatItLeadsToIsAFailurePointOfTheFlow() {
    for definition in FaultCatalog.all {
      for stage in definition.stages[.rtspHotspot] ?? [] {
        guard let blame = definition.blame(at: stage) else { continue }
        let isStage = Flow.rtspHotspot.stages.contains { FailurePoint($0.id) == blame }
        #expect(isStage || FailurePoint.beyondStages.contains(blame), "\(definition.id) at \(stage)")
      }
    }
  }
}
