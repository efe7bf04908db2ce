import RigFlow
import RigModel
import Testing

/// A session that a phone plays: driven by the agent's word, and judged again with what the phone saw.
@Suite struct PhoneSessionTests {
  private static let late: Set<FactKind> = [.keyFrame, .linkJoined, .mediaFailed, .mediaGap, .mediaResumed]

  private struct Outcome: Equatable {
    var failure: Session.Failure?
    var reached: Gate?
    var stages: [String: StageOutcome]

    init(_ session: Session) {
      failure = session.failure
      reached = session.reached
      let records = session.records.filter { $0.id != "clean-up" }
      stages = Dictionary(uniqueKeysWithValues: records.map { ($0.id, $0.outcome) })
    }
  }

  /// Plays a script twice: as with the harness as player, and as with a phone that is heard afterwards.
  private func both(
    _ script: [(Int, Step)], seesJoin: Bool = false, playFor: Duration = .seconds(5)
  ) -> (live: Session, driven: Session, judged: Session) {
    let live = ScriptedSession(script + [(60_000, .wait)], playFor: playFor).session
    let topology = Topology.phone(seesJoin: seesJoin)
    var driven = ScriptedSession(flow: Flow.rtspHotspot.driven(in: topology), playFor: playFor)
    var facts: [Fact] = []
    var joined: Fact?
    for (ms, step) in script {
      if case .fact(let kind, let detail) = step, PhoneSessionTests.late.contains(kind),
        kind != .linkJoined || !seesJoin
      {
        let fact = Fact(kind, by: .phone, at: .zero + .milliseconds(ms), detail: detail)
        if kind == .linkJoined { joined = fact } else { facts.append(fact) }
      } else {
        driven.play(step, at: ms)
      }
    }
    driven.advance(to: 60_000)
    let judged = Session.replay(
      driven.inputs, facts: facts, joined: joined, until: driven.now, flow: Flow.rtspHotspot.judgedAfterwards,
      setup: driven.session.setup, agentIsSubject: false)
    return (live, driven.session, judged.session)
  }

  /// The stop comes later, so that the finish does too.
  private static func later(_ script: [(Int, Step)]) -> [(Int, Step)] {
    script.map { ms, step in (ms > 17_000 ? ms + 10_000 : ms, step) }
  }

  @Test(arguments: [true, false]) func aHealthySessionEndsAsWithTheHarness(_ seesJoin: Bool) {
    let (_, driven, judged) = both(PhoneSessionTests.later(Healthy.script), seesJoin: seesJoin)
    #expect(driven.failure == nil, "\(driven.failure?.reason ?? "")")
    #expect(judged.failure == nil, "\(judged.failure?.reason ?? "")")
    #expect(judged.reached == .ended)
    #expect(judged.records.allSatisfy { $0.outcome == .passed })
    // The key frame was seen at 12.5 s, and the start reported at 12.9 s: then the session was active.
    #expect(judged.records.first { $0.id == "play" }?.ended == .zero + .milliseconds(12_500))
    #expect(judged.records.first { $0.id == "running" }?.began == .zero + .milliseconds(12_900))
  }

  /// The first key frame has until 17.3 s, and five seconds of play come behind.
  @Test func asMuchMediaIsDueAsWithTheHarness() {
    var driven = ScriptedSession(flow: Flow.rtspHotspot.driven(in: .phone(seesJoin: false)))
    for (ms, step) in Healthy.before(17_000) {
      if case .fact = step { continue }
      driven.play(step, at: ms)
    }
    driven.advance(to: 22_299)
    #expect(!driven.session.stopWasRequested)
    driven.advance(to: 22_300)
    #expect(driven.session.stopWasRequested)
  }

  @Test func whatComesInTimeIsNotCutOff() {
    // A key frame at the very end of its limit: five seconds of media are still judged.
    let script = PhoneSessionTests.later(Healthy.with([12_500: nil, 17_299: .fact(.keyFrame)]))
      .map { ms, step in if case .fact(.keyFrame, _) = step { (17_299, step) } else { (ms, step) } }
    let (_, _, judged) = both(script)
    #expect(judged.failure == nil, "\(judged.failure?.reason ?? "")")
    let running = judged.records.first { $0.id == "running" }
    #expect(running?.duration == .milliseconds(5_001))
  }

  private static let failing: [(String, [(Int, Step)])] = [
    ("no key frame", Healthy.with([12_500: nil])),
    ("a late key frame", Healthy.with([12_500: nil, 17_400: .fact(.keyFrame)])),
    ("an RTSP error", Healthy.with([12_500: .fact(.mediaFailed, "DESCRIBE was answered 404")])),
    ("a pause", Healthy.with([16_000: .fact(.mediaGap, "2 s")])),
    ("a refused start", Healthy.with([12_900: .refused("sessionStartCompletion")])),
    ("a refused hotspot", Healthy.with([2000: .refused("hotspotConfigureCompletion")])),
    ("an interruption", Healthy.with([15_000: .finish(userStopped: false, error: true)])),
    ("a bad address", Healthy.with([12_300: .address("http://192.168.43.1/live")])),
    ("no start", Healthy.with([12_900: nil])),
  ]

  @Test(arguments: 0..<9) func aFailureIsTheSameAsWithTheHarness(_ index: Int) {
    let (name, script) = PhoneSessionTests.failing[index]
    let (live, _, judged) = both(script)
    #expect(live.failure != nil, "\(name)")
    #expect(Outcome(judged) == Outcome(live), "\(name): \(judged.failure?.reason ?? "none")")
  }

  @Test func aSaidSuccessIsNone() {
    // Everything that the agent can say is said, and no packet speaks for it.
    let script = PhoneSessionTests.later(Healthy.with([12_500: nil]))
    let (_, driven, judged) = both(script)
    #expect(driven.failure == nil)
    #expect(judged.failure?.point == FailurePoint(.play))
    #expect(judged.reached == .address)
  }

  @Test func aReportedJoinWithoutAPacketIsNone() {
    let script = PhoneSessionTests.later(Healthy.with([11_900: nil]))
    let (_, _, judged) = both(script)
    #expect(judged.reached == .accepted)
    #expect(judged.records.first { $0.id == "connect-hotspot" }?.outcome != .passed)
  }

  /// The phone knows the address before the harness hears of it.
  @Test func aQuickPhoneLosesNothing() {
    let script = PhoneSessionTests.later(Healthy.with([12_500: nil, 12_290: .fact(.keyFrame)]))
    let (_, _, judged) = both(script)
    #expect(judged.failure == nil, "\(judged.failure?.reason ?? "")")
  }

  @Test func theHarnessAsPlayerChangesNothing() {
    let flow = Flow.rtspHotspot.driven(in: .harness)
    #expect(flow.stages.map(\.completes) == Flow.rtspHotspot.stages.map(\.completes))
    #expect(Flow.rtspHotspot.firstOpenStage(in: .harness) == nil)
    #expect(Flow.rtspHotspot.firstOpenStage(in: .phone(seesJoin: true)) == .play)
    #expect(Flow.rtspHotspot.firstOpenStage(in: .phone(seesJoin: false)) == .connectHotspot)
  }
}
