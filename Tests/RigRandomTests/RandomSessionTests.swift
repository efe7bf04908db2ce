import RigFlow
import RigModel
import RigRandom
import Testing

@Suite struct RandomSessionTests {
  private static func real(_ flow: Flow, _ setup: Session.Setup) -> Session { Session(flow: flow, setup: setup) }

  /// The gate runs a million events in the release build (`ci/random`).
  @Test(arguments: 0..<4) func whateverComesTheRulesHold(part: Int) {
    var sessions = RandomSessions(seed: UInt64(100 + part))
    for _ in 0..<600 {
      guard let broken = sessions.runOne() else { continue }
      Issue.record("\(broken.violation): \(SequenceText.write(broken.smallest, rule: broken.violation.rule))")
      return
    }
    // The sessions are worth something only if they get everywhere.
    let coverage = sessions.coverage
    #expect(coverage.missedPoints.isEmpty, "\(coverage.missedPoints)")
    #expect(Set(coverage.gates.keys) == Set(Gate.allCases))
    #expect(coverage.successes > 60)
    for stage in SessionCoverage.stages where stage != .running && stage != .cleanUp {
      #expect(coverage.count(stage, .passed) > 0 && coverage.count(stage, .failed) > 0, "\(stage)")
    }
  }

  @Test func aSeedGivesTheSameSequences() {
    let a = SequenceGenerator(seed: 7)
    let b = SequenceGenerator(seed: 7)
    for i in [0, 5, 5, 999] { #expect(a.sequence(i) == b.sequence(i)) }
    #expect(a.sequence(1) != SequenceGenerator(seed: 8).sequence(1))
    #expect((0..<50).contains { a.sequence($0).isHealthy })
  }

  @Test(arguments: PlantedSession.Bug.allCases) func aPlantedBugIsFoundAndShrunk(bug: PlantedSession.Bug) throws {
    let make = { (flow: Flow, setup: Session.Setup) in PlantedSession(bug, flow, setup) }
    var sessions = RandomSessions(seed: 3)
    var found: RandomSessions.Break?
    for _ in 0..<500 where found == nil { found = sessions.runOne(make) }
    let broken = try #require(found, "not found in 500 sessions")
    #expect(broken.smallest.steps.count <= 6, "\(SequenceText.write(broken.smallest, rule: broken.violation.rule))")
    #expect(broken.smallest.steps.count <= broken.found.steps.count)
    // The smallest sequence breaks the same rule, and the session without the bug keeps it.
    #expect(SessionTrace(broken.smallest, on: make).violation(make)?.rule == broken.violation.rule)
    #expect(SessionTrace(broken.smallest, on: Self.real).violation(Self.real) == nil)
    // One step less, and it is kept.
    for i in broken.smallest.steps.indices {
      var less = broken.smallest
      less.steps.remove(at: i)
      less.isHealthy = false
      #expect(SessionTrace(less, on: make).violation(make)?.rule != broken.violation.rule, "step \(i) is too much")
    }
  }

  @Test(arguments: 0..<200) func aSequenceSurvivesItsText(number: Int) throws {
    let sequence = SequenceGenerator(seed: 11).sequence(number)
    let read = try SequenceText.read(SequenceText.write(sequence, rule: "limits"))
    #expect(read.sequence == sequence)
    #expect(read.rule == "limits")
  }

  @Test(arguments: [
    ("", "line 1: expected \"format\":\"streamrig-sequence/1\""),
    ("{\"format\":\"streamrig-sequence/1\"}", "line 1: play-for-ms must be a whole number from 0 to 86400000"),
    (
      "{\"format\":\"streamrig-sequence/1\",\"play-for-ms\":0}\n{\"after-ms\":-1,\"do\":\"tick\"}",
      "line 2: after-ms must be a whole number from 0 to 86400000"
    ),
    (
      "{\"format\":\"streamrig-sequence/1\",\"play-for-ms\":0}\n{\"after-ms\":0,\"do\":\"event\"}",
      "line 2: name is missing"
    ),
    (
      "{\"format\":\"streamrig-sequence/1\",\"play-for-ms\":0}\n{\"after-ms\":0,\"do\":\"jump\"}",
      "line 2: do must be event, fact, begin, preflight-passed, preflight-failed, start-accepted, start-refused, "
        + "control-lost, control-back, rebooted, abort, tick"
    ),
  ])
  func aListThatCannotBeReadSaysWhereAndWhy(text: String, problem: String) {
    do {
      _ = try SequenceText.read(text)
      Issue.record("it was read")
    } catch {
      #expect("\(error)" == problem)
    }
  }
}
