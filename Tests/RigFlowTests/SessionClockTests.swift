import RigFlow
import RigModel
import Testing

/// Limits are enforced on receipt time and judged on device time ± its error.
@Suite struct SessionClockTests {
  /// The healthy session with device times on one stage's beginning and completion.
  private func enterLiveMode(
    began: Int, ended: Int, error: Int = 5, received: Int = 3900
  ) -> ScriptedSession {
    ScriptedSession(
      Healthy.with([
        2010: .event("enterLiveStreamingModeStarting", on: began, error: error), 3900: nil,
        received: .done("enterLiveStreamingModeCompleted", on: ended, error: error),
      ]))
  }

  @Test func inTimeOnBothClocks() {
    let s = enterLiveMode(began: 2000, ended: 3890)
    #expect(s.session.failure == nil)
    #expect(s.session.doubts.isEmpty)
    #expect(s.outcome(.enterLiveMode) == .passed)
  }

  @Test func inTimeOnReceiptAndLateOnTheDevice() {
    // The beginning was held up on the control link.
    let s = enterLiveMode(began: -6200, ended: 3890)
    #expect(s.failurePoint == FailurePoint(.enterLiveMode))
    #expect(s.reason == "took 10.09 s on the device's clock, limit 10 s")
    #expect(s.failed(.enterLiveMode) == 3900)
  }

  @Test(arguments: [(9_990, true), (9_991, false), (10_000, false), (10_010, false), (10_011, nil as Bool?)])
  func nearTheLimit(took: Int, clear: Bool?) {
    let s = enterLiveMode(began: 3890 - took, ended: 3890)
    switch clear {
    case true?: #expect(s.outcome(.enterLiveMode) == .passed)
    case false?:
      #expect(s.outcome(.enterLiveMode) == .inconclusive)
      #expect(s.session.failure == nil)
      #expect(s.session.doubts.count == 1)
      #expect(s.session.doubts.first?.hasPrefix("enter-live-mode: took ") == true)
      // The session goes on all the same.
      #expect(s.session.reached == .ended)
    case nil: #expect(s.failurePoint == FailurePoint(.enterLiveMode))
    }
  }

  /// Each end of the interval is off by its own error: 9.8 s ± 301 ms may be more than 10 s, 10.4 s ± 501 ms less.
  @Test(arguments: [(9699, 300, 1, false), (9700, 300, 1, true), (10_400, 300, 201, true), (10_502, 300, 201, nil)])
  func theErrorsOfBothTimesAddUp(took: Int, began: Int, ended: Int, unclear: Bool?) {
    let s = ScriptedSession(
      Healthy.with([
        2010: .event("enterLiveStreamingModeStarting", on: 3800 - took, error: began),
        3900: .done("enterLiveStreamingModeCompleted", on: 3800, error: ended),
      ]))
    let outcome: StageOutcome = unclear.map { $0 ? .inconclusive : .passed } ?? .failed
    #expect(s.outcome(.enterLiveMode) == outcome)
  }

  /// The fact that completes the stage comes later than the event that the limit judges.
  @Test func aLateJoinOnTheDeviceFailsThoughAFactCompletesIt() {
    let s = ScriptedSession(
      Healthy.with([
        7200: .event("connectDeviceHotspotStarting", ["ssid": "rig-1"], on: -80_000),
        11_800: .done("deviceHotspotConnectCompletion", on: 11_000),
      ]))
    #expect(s.failurePoint == FailurePoint(.connectHotspot))
    #expect(s.reason == "took 91 s on the device's clock, limit 90 s")
  }

  @Test func withoutClockSyncReceiptDecides() {
    #expect(ScriptedSession(Healthy.script).session.doubts.isEmpty)
    let s = ScriptedSession(Healthy.with([3900: .done("enterLiveStreamingModeCompleted", on: 90_000)]))
    #expect(s.session.failure == nil)
  }

  // MARK: Late on receipt, in time on the device

  struct Late: Sendable, CustomStringConvertible {
    let from: Int
    let stage: StageID
    let event: Step
    let at: Int
    var description: String { "\(stage)" }
  }

  /// The harness began these itself, so that its own clock says when; the device's clock says when the event happened.
  @Test(arguments: [
    Late(from: 12_300, stage: .receiveAddress, event: .address(on: 21_000), at: 22_000),
    Late(from: 12_900, stage: .startSession, event: .done("sessionStartCompletion", on: 41_000), at: 42_000),
    Late(from: 18_200, stage: .finish, event: .finish(userStopped: true, on: 18_100), at: 28_000),
    Late(from: 2010, stage: .enterLiveMode, event: .event("enterLiveStreamingModeStarting", on: 11_000), at: 12_500),
    Late(from: 30, stage: .configureHotspot, event: .event("configureHotspotStarting", on: 200), at: 30_100),
  ])
  func aLateArrivalThatHappenedInTimeIsADoubt(late: Late) {
    var s = ScriptedSession(Healthy.before(late.from))
    s.play(late.event, at: late.at)
    #expect(s.failurePoint == FailurePoint(late.stage))
    #expect(s.session.failure?.doubt != nil)
  }

  @Test func aLateCompletionThatHappenedInTimeIsADoubt() {
    let s = enterLiveMode(began: 2000, ended: 11_990, received: 12_500)
    #expect(s.failurePoint == FailurePoint(.enterLiveMode))
    #expect(
      s.session.failure?.doubt
        == "enterLiveStreamingModeCompleted came after the limit, but happened 9.99 s after the beginning")
  }

  @Test func aLateHotspotThatOpenedInTimeIsADoubt() {
    var s = ScriptedSession(Healthy.with([3910: .event("waitingForHotspotOpen", on: 3905)]).filter { $0.0 < 7200 })
    s.play(.event("connectDeviceHotspotStarting", ["ssid": "rig-1"], on: 33_000), at: 35_000)
    #expect(s.failurePoint == FailurePoint(.waitForHotspot))
    #expect(s.session.failure?.doubt != nil)
  }

  @Test func aLateCompletionThatHappenedLateIsNone() {
    let s = enterLiveMode(began: 2000, ended: 12_011, received: 12_500)
    #expect(s.failurePoint == FailurePoint(.enterLiveMode))
    #expect(s.session.failure?.doubt == nil)
  }

  @Test(arguments: [
    Step.refused("enterLiveStreamingModeCompleted"),
    .event("enterLiveStreamingModeCompleted", ["success": false], on: 9000),
    .done("enterLiveStreamingModeCompleted"), .done("sessionStartCompletion", on: 9000),
    .event("enterLiveStreamingModeCompleted", ["success": true], run: "run-0", on: 9000, error: 5),
  ])
  func nothingElseMakesADoubt(step: Step) {
    let s = ScriptedSession(
      Healthy.with([2010: .event("enterLiveStreamingModeStarting", on: 2000), 3900: nil, 12_500: step])
        .filter { $0.0 < 3910 || $0.0 == 12_500 })
    #expect(s.failurePoint == FailurePoint(.enterLiveMode))
    #expect(s.session.failure?.doubt == nil)
  }

  /// The stage had its event and waited for the picture: a repeat of the event explains nothing.
  @Test func aRepeatOfWhatHadComeMakesNoDoubt() {
    let s = ScriptedSession(
      Healthy.before(12_500) + [
        (12_600, .done("sessionStartCompletion", on: 12_590)), (30_000, .done("sessionStartCompletion", on: 12_595)),
      ], limits: ["play": .seconds(600), "start-session": .seconds(10)])
    #expect(s.failurePoint == FailurePoint(.startSession))
    #expect(s.reason == "timed out after 10 s without a decoded key frame")
    #expect(s.session.failure?.doubt == nil)
  }

  @Test func aRefusalIsNeverInDoubt() {
    let s = ScriptedSession(
      Healthy.before(3900) + [
        (3900, .refused("enterLiveStreamingModeCompleted")),
        (4000, .done("enterLiveStreamingModeCompleted", on: 3000)),
      ])
    #expect(s.session.failure?.doubt == nil)
  }
}
