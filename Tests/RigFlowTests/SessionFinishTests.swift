import RigFlow
import RigModel
import Testing

/// How a session ends: by user stop, by the device, by its media, by its clean-up.
@Suite struct SessionFinishTests {
  struct Ending: Sendable, CustomStringConvertible {
    let what: String
    let step: Step
    let reason: String?
    var description: String { what }
  }

  @Test(arguments: [
    Ending(what: "by user", step: .finish(userStopped: true), reason: nil),
    Ending(
      what: "as interruption", step: .finish(userStopped: false),
      reason: "ended as an interruption after a stop was requested"),
    Ending(
      what: "as interruption with an error", step: .finish(userStopped: false, error: true),
      reason: "ended as an interruption after a stop was requested: demo 9: gone"),
    Ending(
      what: "without userStopped", step: .finish(userStopped: nil),
      reason: "ended as an interruption after a stop was requested"),
    Ending(
      what: "by user with an error", step: .finish(userStopped: true, error: true),
      reason: "the user stop ended with an error: demo 9: gone"),
  ])
  func afterAStop(ending: Ending) {
    let s = ScriptedSession(Healthy.with([18_200: ending.step]))
    #expect(s.failurePoint == ending.reason.map { _ in FailurePoint(.finish) })
    #expect(s.reason == ending.reason ?? "")
    #expect(s.session.reached == (ending.reason == nil ? .ended : .active))
    // The session is over already: no second stop.
    #expect(s.count(.sendStop) == 1)
    #expect(s.outcome(.cleanUp) == .passed)
  }

  @Test(arguments: [
    Ending(
      what: "interrupted", step: .finish(userStopped: false, error: true),
      reason: "interrupted by the device: demo 9: gone"),
    Ending(
      what: "interrupted without an error", step: .finish(userStopped: false), reason: "interrupted by the device"),
    Ending(what: "without userStopped", step: .finish(userStopped: nil), reason: "interrupted by the device"),
    Ending(
      what: "says that the user stopped", step: .finish(userStopped: true),
      reason: "userStopped is true, and nobody asked for a stop"),
  ])
  func whileRunning(ending: Ending) {
    let s = ScriptedSession(Healthy.with([15_000: ending.step, 18_200: nil]))
    #expect(s.failurePoint == FailurePoint(.finish))
    #expect(s.reason == ending.reason)
    #expect(s.outcome(.running) == .passed)
    #expect(s.session.reached == .active)
    #expect(s.count(.sendStop) == 0)
    #expect(!s.session.stopWasRequested)
    #expect(s.outcome(.cleanUp) == .passed)
  }

  @Test(arguments: [
    (25, StageID.configureHotspot), (1000, .configureHotspot), (3000, .enterLiveMode), (5000, .waitForHotspot),
    (9000, .connectHotspot), (12_000, .receiveAddress), (12_400, .play), (12_600, .startSession),
  ])
  func beforeActive(ms: Int, stage: StageID) {
    let s = ScriptedSession(Healthy.before(ms) + [(ms, .finish(userStopped: false, error: true))])
    #expect(s.failurePoint == FailurePoint(stage))
    #expect(s.reason == "the device ended the session: demo 9: gone")
    #expect(s.count(.sendStop) == 0)
    #expect(s.session.isCleaning)
  }

  @Test func aFinishAfterTheSessionIsOverChangesNothing() {
    let s = ScriptedSession(Healthy.with([18_250: .finish(userStopped: false)]))
    #expect(s.session.failure == nil)
    #expect(s.session.reached == .ended)
  }

  @Test func aStopThatIsIgnoredIsSentAgainAsCleanUp() {
    let s = ScriptedSession(Healthy.before(18_200) + [(30_000, .wait)])
    #expect(s.failurePoint == FailurePoint(.finish))
    #expect(s.count(.sendStop) == 2)
  }

  // MARK: Media

  @Test func mediaMayEndShortlyBeforeTheDeviceSaysSo() {
    let s = ScriptedSession(
      Healthy.with([15_000: .fact(.mediaEnded), 16_900: .finish(userStopped: false, error: true), 18_200: nil]))
    #expect(s.failurePoint == FailurePoint(.finish))
    #expect(s.reason == "interrupted by the device: demo 9: gone")
  }

  @Test(arguments: [FactKind.mediaEnded, .mediaFailed])
  func mediaThatEndedIsAGapAtItsLimit(kind: FactKind) {
    let s = ScriptedSession(
      Healthy.with([15_000: .fact(kind), 17_100: .finish(userStopped: false, error: true), 18_200: nil]))
    #expect(s.failurePoint == FailurePoint(.running))
    #expect(s.failed(.running) == 17_000)
    #expect(s.reason == "no media for 2 s after the stream ended")
    #expect(s.count(.sendStop) == 1)
  }

  @Test func theGapLimitIsOverridable() {
    let s = ScriptedSession(
      Healthy.before(18_200) + [(14_000, .fact(.mediaEnded)), (20_000, .wait)].sorted(),
      limits: ["media-gap": .milliseconds(500)])
    #expect(s.failed(.running) == 14_500)
  }

  /// The stop comes before the gap's limit: nothing is due any more.
  @Test func mediaThatEndsJustBeforeTheStopIsNoGap() {
    var s = ScriptedSession(Healthy.before(18_200) + [(17_000, .fact(.mediaEnded))].sorted())
    s.advance(to: 18_000)
    #expect(s.session.nextDeadline == .zero + .milliseconds(27_900))
    s.play(.finish(userStopped: true), at: 19_500)
    #expect(s.session.failure == nil)
    #expect(s.session.reached == .ended)
  }

  /// Of a stop and a gap that are due by the same late tick, the earlier counts.
  @Test(arguments: [(17_000, true), (15_000, false)])
  func aLateTickTakesTheEarlierOfStopAndGap(ended: Int, stops: Bool) {
    var s = ScriptedSession(Healthy.before(18_200))
    s.play(.fact(.mediaEnded), at: ended)
    s.tickLate(at: 20_000)
    #expect(s.failurePoint == (stops ? nil : FailurePoint(.running)))
    #expect(s.session.stopWasRequested == stops)
    #expect(s.session.nextDeadline == .zero + .milliseconds(30_000))
  }

  @Test func aGapWhileRunningFails() {
    let s = ScriptedSession(Healthy.with([15_000: .fact(.mediaGap, "2.1 s")]))
    #expect(s.failurePoint == FailurePoint(.running))
    #expect(s.reason == "no media for 2.1 s, limit 2 s")
  }

  @Test func aGapAfterTheStopIsNone() {
    let s = ScriptedSession(Healthy.with([18_000: .fact(.mediaGap, "2.1 s"), 18_100: .fact(.mediaEnded)]))
    #expect(s.session.failure == nil)
  }

  /// The stream died between its key frame and the session start: a session that runs without media must not pass.
  @Test(arguments: [FactKind.mediaEnded, .mediaFailed])
  func mediaThatEndedBeforeActiveIsAGapOnceRunning(kind: FactKind) {
    let s = ScriptedSession(Healthy.with([12_600: .fact(kind)]))
    #expect(s.failurePoint == FailurePoint(.running))
    #expect(s.failed(.running) == 14_900)
  }

  /// The gap was reported before the session ran, and is reported once: it must not be forgotten.
  @Test func aGapThatBeganBeforeActiveAndNeverEndsFails() {
    let s = ScriptedSession(Healthy.with([12_600: .fact(.mediaGap, "2.1 s")]))
    #expect(s.failurePoint == FailurePoint(.running))
    #expect(s.failed(.running) == 14_900)
    #expect(s.reason == "no media for 2 s since the session is active, nor before")
  }

  @Test(arguments: [12_700, 14_000]) func aGapThatEndsInTimeIsForgiven(ms: Int) {
    let s = ScriptedSession(Healthy.with([12_600: .fact(.mediaGap, "2.1 s"), ms: .fact(.mediaResumed)]))
    #expect(s.session.failure == nil)
  }

  @Test func mediaThatResumesDoesNotHealAStreamThatEnded() {
    let s = ScriptedSession(
      Healthy.with([12_600: .fact(.mediaGap), 12_700: .fact(.mediaEnded), 13_500: .fact(.mediaResumed)]))
    #expect(s.failed(.running) == 14_900)
  }

  @Test func mediaThatEndsBeforeItsFirstKeyFrameFailsPlay() {
    let s = ScriptedSession(Healthy.with([12_500: .fact(.mediaEnded, "BYE")]))
    #expect(s.failurePoint == FailurePoint(.play))
    #expect(s.reason == "the media ended: BYE")
  }

  // MARK: Clean-up

  @Test(arguments: [FactKind.portStillOpen, .wireBusy, .hotspotStillUp])
  func aDirtyEndFailsTheCleanUp(kind: FactKind) {
    let s = ScriptedSession(Healthy.with([18_500: .fact(kind, "not clean")]))
    #expect(s.failurePoint == FailurePoint(.cleanUp))
    #expect(s.reason == "not clean")
    #expect(s.session.reached == .ended)
    #expect(s.actions.last == .finished)
    #expect(s.failed(.cleanUp) == 18_500)
  }

  @Test(arguments: [
    [FactKind.hotspotGone, .wireQuiet, .portClosed], [.wireQuiet, .wireQuiet, .hotspotGone, .portClosed],
  ])
  func theFactsOfACleanEndComeInAnyOrder(kinds: [FactKind]) {
    var s = ScriptedSession(Healthy.before(18_300))
    for (i, kind) in kinds.enumerated() {
      #expect(!s.session.isOver)
      s.play(.fact(kind), at: 18_300 + i)
    }
    #expect(s.session.isOver)
    #expect(s.session.failure == nil)
  }

  @Test func factsOfCleanUpBeforeTheEndCountForNothing() {
    let early: KeyValuePairs<Int, Step?> = [
      5000: .fact(.hotspotGone), 5001: .fact(.portClosed), 5002: .fact(.wireQuiet), 13_000: .fact(.portStillOpen),
      13_001: .fact(.hotspotStillUp), 13_002: .fact(.wireBusy), 19_100: nil,
    ]
    var s = ScriptedSession(Healthy.with(early))
    #expect(s.session.isCleaning)
    #expect(s.session.failure == nil)
    s.play(.fact(.hotspotGone), at: 20_000)
    #expect(s.session.isOver)
  }
}

extension [(Int, Step)] {
  func sorted() -> [(Int, Step)] { sorted { $0.0 < $1.0 } }
}
