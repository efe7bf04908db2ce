import RigFlow
import RigModel
import Testing

/// Every stage: it times out, is refused, never begins, is left over.
@Suite struct SessionStageTests {
  struct Silence: Sendable, CustomStringConvertible {
    /// Nothing happens from here on.
    let from: Int
    let stage: StageID
    let at: Int
    let reason: String
    var reached: Gate? = .accepted
    var description: String { "\(stage): \(reason)" }
  }

  static let silences: [Silence] = [
    Silence(
      from: 10, stage: .preflight, at: 20_000, reason: "timed out after 20 s without a usable device", reached: nil),
    Silence(
      from: 20, stage: .configureStream, at: 10_010, reason: "timed out after 10 s without a reply to start",
      reached: .ready),
    Silence(from: 30, stage: .configureHotspot, at: 30_020, reason: "timed out: it did not begin in 30 s"),
    Silence(
      from: 2000, stage: .configureHotspot, at: 30_030,
      reason: "timed out after 30 s without hotspotConfigureCompletion"),
    Silence(from: 2010, stage: .enterLiveMode, at: 12_000, reason: "timed out: it did not begin in 10 s"),
    Silence(
      from: 3900, stage: .enterLiveMode, at: 12_010,
      reason: "timed out after 10 s without enterLiveStreamingModeCompleted"),
    Silence(from: 3910, stage: .waitForHotspot, at: 33_900, reason: "timed out: it did not begin in 30 s"),
    Silence(
      from: 7200, stage: .waitForHotspot, at: 33_910,
      reason: "timed out after 30 s without connectDeviceHotspotStarting"),
    Silence(
      from: 11_800, stage: .connectHotspot, at: 97_200,
      reason: "timed out after 90 s without deviceHotspotConnectCompletion, proof of the join"),
    Silence(
      from: 11_900, stage: .connectHotspot, at: 97_200, reason: "timed out after 90 s without proof of the join"),
    Silence(
      from: 12_300, stage: .receiveAddress, at: 21_900, reason: "timed out after 10 s without rtspAddressReceived"),
    Silence(
      from: 12_500, stage: .play, at: 17_300, reason: "timed out after 5 s without a decoded key frame",
      reached: .address),
    Silence(
      from: 12_900, stage: .startSession, at: 41_900, reason: "timed out after 30 s without sessionStartCompletion",
      reached: .media),
    Silence(
      from: 18_200, stage: .finish, at: 27_900, reason: "timed out after 10 s without sessionFinish", reached: .active),
    Silence(
      from: 18_300, stage: .cleanUp, at: 28_200,
      reason: "timed out after 10 s without the RTSP port closed, a quiet wire, the hotspot gone", reached: .ended),
    Silence(
      from: 19_100, stage: .cleanUp, at: 28_200, reason: "timed out after 10 s without the hotspot gone",
      reached: .ended),
  ]

  @Test(arguments: silences) func silenceFailsTheStageAtItsLimit(c: Silence) {
    let s = ScriptedSession(Healthy.before(c.from) + [(200_000, .wait)])
    #expect(s.failurePoint == FailurePoint(c.stage))
    #expect(s.failed(c.stage) == c.at)
    #expect(s.reason == c.reason)
    #expect(s.session.reached == c.reached)
    #expect(s.session.failure?.blame == (c.stage == .preflight ? .rig : .subject))
    #expect(s.session.isOver)
    #expect(s.actions.last == .finished)
  }

  @Test func limitsAreOverridable() {
    for c in SessionStageTests.silences where c.stage != .cleanUp {
      let limits = [c.stage.rawValue: Duration.milliseconds(1500)]
      // Of the two on either side of the join only the later one outlives a shorter limit.
      if c.from == 11_900 { continue }
      let s = ScriptedSession(Healthy.before(c.from) + [(200_000, .wait)], limits: limits)
      let flowLimit = Flow.rtspHotspot.stage(c.stage)?.limit?.nanoseconds ?? 0
      let cut = Int(flowLimit / 1_000_000) - 1500
      #expect(s.failurePoint == FailurePoint(c.stage), "\(c)")
      #expect(s.failed(c.stage) == c.at - cut, "\(c)")
      #expect(s.record(of: c.stage)?.limit == .milliseconds(1500))
    }
  }

  @Test func aRaisedLimitLetsASlowDevicePass() {
    let slow: [(Int, Step)] = Healthy.script.map { ms, step in (ms >= 7200 ? ms + 60_000 : ms, step) }
    #expect(ScriptedSession(slow).failurePoint == FailurePoint(.waitForHotspot))
    let s = ScriptedSession(slow, limits: ["wait-for-hotspot": .seconds(90)])
    #expect(s.session.failure == nil)
    #expect(s.session.reached == .ended)
  }

  @Test(arguments: [
    (2000, "hotspotConfigureCompletion", StageID.configureHotspot),
    (3900, "enterLiveStreamingModeCompleted", .enterLiveMode),
    (11_800, "deviceHotspotConnectCompletion", .connectHotspot),
    (12_900, "sessionStartCompletion", .startSession),
  ])
  func aRefusalFailsAtOnce(ms: Int, name: String, stage: StageID) {
    let s = ScriptedSession(Healthy.with([ms: .refused(name)]))
    #expect(s.failurePoint == FailurePoint(stage))
    #expect(s.failed(stage) == ms)
    #expect(s.reason == "reported failure: demo 7: no")

    let wordless = ScriptedSession(Healthy.with([ms: .event(name, ["success": false])]))
    #expect(wordless.reason == "reported failure without an error")

    let dumb = ScriptedSession(Healthy.with([ms: .event(name)]))
    #expect(dumb.failurePoint == FailurePoint(stage))
    #expect(dumb.reason == "\(name) carries no success")
  }

  @Test(arguments: [
    (30, StageID.configureHotspot), (2010, .enterLiveMode), (3910, .waitForHotspot),
  ])
  func aCompletionWithoutItsBeginningCounts(ms: Int, stage: StageID) {
    let s = ScriptedSession(Healthy.with([ms: nil]))
    #expect(s.session.failure == nil)
    #expect(s.outcome(stage) == .passed)
    #expect(s.record(of: stage)?.duration == .zero)
  }

  @Test func aRefusalWithoutItsBeginningFailsAtOnce() {
    let s = ScriptedSession(Healthy.before(30) + [(3050, .refused("hotspotConfigureCompletion"))])
    #expect(s.failurePoint == FailurePoint(.configureHotspot))
    #expect(s.failed(.configureHotspot) == 3050)
  }

  /// The device goes on without the completion: the stage still owes it.
  @Test func aLostCompletionFailsItsStageAtTheLimit() {
    let s = ScriptedSession(Healthy.with([3900: nil]))
    #expect(s.failurePoint == FailurePoint(.enterLiveMode))
    #expect(s.failed(.enterLiveMode) == 12_010)
  }

  @Test func aLostCompletionFailsItsStageWhereTheSessionEndsFirst() {
    let s = ScriptedSession(Healthy.with([2000: nil]))
    #expect(s.failurePoint == FailurePoint(.configureHotspot))
    #expect(s.reason == "the session ended without hotspotConfigureCompletion")
    #expect(s.session.reached == .active)
    #expect(s.count(.sendStop) == 1)
    #expect(s.outcome(.cleanUp) == .passed)
  }

  @Test func aSkippedStageFails() {
    let late = ScriptedSession(Healthy.with([2010: nil, 3900: nil]))
    #expect(late.failurePoint == FailurePoint(.enterLiveMode))
    #expect(late.failed(.enterLiveMode) == 12_000)
    let early = ScriptedSession(Healthy.with([2010: nil, 3900: nil]), limits: ["enter-live-mode": .seconds(60)])
    #expect(early.failurePoint == FailurePoint(.enterLiveMode))
    #expect(early.reason == "the session ended before it began")
  }

  /// Address and session start are two events, in either order.
  @Test func theSessionStartMayComeBeforeTheAddress() {
    let s = ScriptedSession(Healthy.with([12_100: .done("sessionStartCompletion"), 12_900: nil]))
    #expect(s.session.failure == nil)
    #expect(s.session.reached == .ended)
    let gates = s.actions.compactMap { if case .gate(let gate) = $0 { gate } else { nil } }
    #expect(gates == [.ready, .accepted, .address, .media, .active, .ended])
    // Active with the key frame, which came last.
    #expect(s.record(of: .startSession)?.ended == .zero + .milliseconds(12_500))
  }

  @Test func theSessionStartMayComeWhileTheJoinIsProven() {
    let s = ScriptedSession(Healthy.with([11_850: .done("sessionStartCompletion"), 12_900: nil]))
    #expect(s.session.failure == nil)
    #expect(s.session.reached == .ended)
  }

  @Test func aSessionStartDoesNotHealAMissingAddress() {
    let s = ScriptedSession(Healthy.with([12_300: nil, 12_500: nil]) + [])
    #expect(s.failurePoint == FailurePoint(.receiveAddress))
  }

  @Test func aContradictedCompletionIsIgnoredOnceTheStageIsOver() {
    let s = ScriptedSession(Healthy.with([2005: .refused("hotspotConfigureCompletion")]))
    #expect(s.session.failure == nil)
    #expect(s.outcome(.configureHotspot) == .passed)
  }

  @Test func currentStageIsWhatAPersonWouldSay() {
    var s = ScriptedSession()
    #expect(s.session.currentStage == nil)
    var seen: [StageID?] = []
    for (ms, step) in Healthy.script {
      s.play(step, at: ms)
      seen.append(s.session.currentStage)
    }
    #expect(
      seen == [
        .preflight, .configureStream, .configureHotspot, .configureHotspot, .enterLiveMode, .enterLiveMode,
        .waitForHotspot, .waitForHotspot, .connectHotspot, .connectHotspot, .receiveAddress, .play, .startSession,
        .running, .cleanUp, .cleanUp, .cleanUp, nil,
      ])
  }
}
