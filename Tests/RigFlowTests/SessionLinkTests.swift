import RigFlow
import RigModel
import Testing

/// What happens to the link, the control link, the device and the rig in mid-session.
@Suite struct SessionLinkTests {
  /// A moment inside every stage that a live session can be in.
  static let moments: [(Int, StageID)] = [
    (5, .preflight), (15, .configureStream), (25, .configureHotspot), (1000, .configureHotspot), (2005, .enterLiveMode),
    (3000, .enterLiveMode), (3905, .waitForHotspot), (5000, .waitForHotspot), (9000, .connectHotspot),
    (12_000, .receiveAddress), (12_400, .play), (12_600, .startSession), (15_000, .running), (18_000, .finish),
  ]

  @Test(arguments: moments) func aRebootFailsTheStageItMeets(ms: Int, stage: StageID) {
    let s = ScriptedSession(
      Healthy.before(ms) + [(14_999, .wait)].filter { $0.0 < ms } + [(ms, .input(.rebooted("b2")))])
    #expect(s.failurePoint == FailurePoint(stage))
    #expect(s.reason == "rebooted: b2")
    #expect(s.session.failure?.blame == (stage == .preflight ? .rig : .subject))
    #expect(s.session.isOver == (stage == .preflight))
  }

  @Test func aRebootDuringCleanUpIsNoFailureOfTheSession() {
    let s = ScriptedSession(Healthy.with([18_500: .input(.rebooted("b2"))]))
    #expect(s.session.failure == nil)
    #expect(s.session.isOver)
  }

  @Test(arguments: [(12_000, StageID.receiveAddress), (12_400, .play), (12_600, .startSession), (15_000, .running)])
  func aLostHotspotFailsTheStageItMeets(ms: Int, stage: StageID) {
    let s = ScriptedSession(Healthy.with([ms: .fact(.linkLost, "the station left")]))
    #expect(s.failurePoint == FailurePoint(stage))
    #expect(s.reason == "the hotspot was left: the station left")
  }

  @Test func theHotspotMayGoOnceAStopWasAskedFor() {
    let s = ScriptedSession(Healthy.with([18_000: .fact(.linkLost, "the station left")]))
    #expect(s.session.failure == nil)
  }

  @Test func aLinkThatWasNeverJoinedCannotBeLost() {
    let s = ScriptedSession(Healthy.with([5000: .fact(.linkLost, "the station left")]))
    #expect(s.session.failure == nil)
  }

  // MARK: Control link

  @Test(arguments: moments) func aControlLinkThatStaysLostIsTheRigs(ms: Int, stage: StageID) {
    var s = ScriptedSession(Healthy.before(ms))
    s.play(.input(.controlLost("usb left")), at: ms)
    s.advance(to: ms + 7_999)
    #expect(s.session.failure == nil)
    s.advance(to: ms + 8_000)
    #expect(s.failurePoint == .controlLink)
    #expect(s.session.failure?.blame == .rig)
    // The player needs no agent: beside it the session's start is waited for.
    let waiting = stage == .play ? StageID.startSession : stage
    #expect(s.reason == "the control link was lost in \(waiting), and did not come back")
    #expect(s.outcome(stage) == .blocked)
  }

  @Test func aControlLinkThatComesBackIsForgiven() {
    let s = ScriptedSession(
      Healthy.with([13_500: .input(.controlLost("usb left")), 16_000: .input(.controlBack)]))
    #expect(s.session.failure == nil)
    #expect(s.session.reached == .ended)
  }

  /// While the link is down a missing event proves nothing: what came meanwhile is replayed before `controlBack`.
  @Test func limitsAreNotEnforcedWhileTheControlLinkIsDown() {
    let s = ScriptedSession(
      Healthy.with([
        3900: nil, 10_000: .input(.controlLost("")), 15_000: .done("enterLiveStreamingModeCompleted"),
        15_001: .input(.controlBack),
      ]).filter { $0.0 < 3910 || (10_000...15_001).contains($0.0) })
    #expect(s.outcome(.enterLiveMode) == .passed)
    #expect(s.session.failure == nil)
  }

  @Test func aLimitThatPassedMeanwhileIsDueAtOnce() {
    var s = ScriptedSession(Healthy.before(3900))
    s.play(.input(.controlLost("")), at: 10_000)
    s.play(.input(.controlBack), at: 14_000)
    #expect(s.session.nextDeadline == .zero + .milliseconds(12_010))
    s.advance(to: 14_000)
    #expect(s.failurePoint == FailurePoint(.enterLiveMode))
    #expect(s.failed(.enterLiveMode) == 14_000)
  }

  @Test func patienceIsNotRenewed() {
    var s = ScriptedSession(Healthy.before(3900))
    s.play(.input(.controlLost("")), at: 5000)
    s.play(.input(.controlLost("")), at: 9000)
    s.advance(to: 13_000)
    #expect(s.failurePoint == .controlLink)
  }

  @Test func factsStillCountWhileTheControlLinkIsDown() {
    let s = ScriptedSession(
      Healthy.before(18_200) + [
        (14_000, .input(.controlLost(""))), (16_500, .fact(.mediaGap, "2 s")), (40_000, .wait),
      ])
    #expect(s.failurePoint == FailurePoint(.running))
  }

  @Test func thePlannedStopWaitsForTheControlLink() {
    var s = ScriptedSession(Healthy.before(18_200))
    s.play(.input(.controlLost("")), at: 15_000)
    s.advance(to: 20_000)
    #expect(s.count(.sendStop) == 0)
    s.play(.input(.controlBack), at: 21_000)
    s.advance(to: 21_000)
    #expect(s.count(.sendStop) == 1)
  }

  /// The player goes on without the agent: what broke is the stage that waits for the agent's word.
  @Test(arguments: [
    (ms: 3000, StageID.enterLiveMode), (8000, .connectHotspot), (12_100, .receiveAddress), (12_400, .startSession),
    (12_600, .startSession), (15_000, .running),
  ])
  func aLostAgentThatIsTheSubjectFailsTheStageThatWaitsForIt(ms: Int, stage: StageID) {
    var s = ScriptedSession(agentIsSubject: true)
    for (at, step) in Healthy.before(ms) { s.play(step, at: at) }
    s.play(.input(.controlLost("SIGABRT")), at: ms)
    s.advance(to: ms + 10_000)
    #expect(s.failurePoint == FailurePoint(stage))
    #expect(s.session.failure?.blame == .subject)
    #expect(s.reason == "the control link was lost in \(stage), and did not come back")
  }

  /// A device that answered once and then no more is not one that is not ready.
  @Test func aPreflightThatFailsWhileTheLinkIsDownIsTheLinks() {
    let s = ScriptedSession([
      (0, .begin), (200, .input(.controlLost("closed"))), (5000, .input(.preflightFailed("no answer to hello"))),
    ])
    #expect(s.failurePoint == .controlLink)
    #expect(s.reason == "the control link was lost in the preflight: no answer to hello")
    #expect(s.count(.sendStop) == 0)
    let back = ScriptedSession([
      (0, .begin), (200, .input(.controlLost("closed"))), (900, .input(.controlBack)),
      (1000, .input(.preflightFailed("not ready"))),
    ])
    #expect(back.failurePoint == FailurePoint(.preflight))
  }

  // MARK: Abort

  @Test(arguments: moments) func anAbortIsTheRigs(ms: Int, stage: StageID) {
    let s = ScriptedSession(Healthy.before(ms) + [(ms, .input(.abort(.rig, "media helper died")))])
    #expect(s.failurePoint == .rig)
    #expect(s.session.failure?.blame == .rig)
    #expect(s.reason == "media helper died")
    #expect(s.outcome(stage) == .blocked || s.outcome(stage) == .unfinished)
    // Whatever was sent to the device is undone.
    #expect(s.count(.proveClean) == (stage == .preflight ? 0 : 1))
  }

  @Test func anAbortEndsTheCleanUpAtOnce() {
    let s = ScriptedSession(Healthy.before(19_000) + [(18_900, .input(.abort(.rig, "interrupted")))])
    #expect(s.session.isOver)
    #expect(s.failurePoint == .rig)
    #expect(s.outcome(.cleanUp) == .unfinished)
    #expect(s.session.reached == .ended)
  }

  @Test func anAbortDuringCleanUpHidesNoFailure() {
    let s = ScriptedSession(
      Healthy.before(3900) + [
        (3900, .refused("enterLiveStreamingModeCompleted")), (4000, .input(.abort(.rig, "interrupted"))),
      ])
    #expect(s.failurePoint == FailurePoint(.enterLiveMode))
    #expect(s.session.isOver)
  }

  @Test func anAbortBeforeTheBeginningEndsTheSession() {
    var s = ScriptedSession()
    #expect(s.play(.input(.abort(.rig, "interrupted")), at: 0) == [.finished])
    #expect(s.play(.begin, at: 1).isEmpty)
    #expect(s.failurePoint == .rig)
  }

  @Test func nothingHappensBeforeTheBeginning() {
    for step in Healthy.script.map(\.1).dropFirst() {
      var s = ScriptedSession()
      #expect(s.play(step, at: 0).isEmpty)
      #expect(s.session.failure == nil)
      #expect(s.session.nextDeadline == nil)
    }
  }
}
