import RigFlow
import RigModel
import Testing

/// The success path, and the guarantees that stand at the head of `Session`.
@Suite struct SessionTests {
  @Test func theWholeSuccessPath() {
    let s = ScriptedSession(Healthy.script)
    func at(_ ms: Int) -> HostTime { .zero + .milliseconds(ms) }
    #expect(
      s.actions == [
        .stageBegan(.preflight, deadline: at(20_000)),
        .stageEnded(.preflight, .passed, reason: ""), .gate(.ready),
        .stageBegan(.configureStream, deadline: at(10_010)), .sendStart,
        .stageEnded(.configureStream, .passed, reason: ""), .gate(.accepted),
        .stageBegan(.configureHotspot, deadline: at(30_030)), .stageEnded(.configureHotspot, .passed, reason: ""),
        .stageBegan(.enterLiveMode, deadline: at(12_010)), .stageEnded(.enterLiveMode, .passed, reason: ""),
        .stageBegan(.waitForHotspot, deadline: at(33_910)),
        .stageBegan(.connectHotspot, deadline: at(97_200)), .stageEnded(.waitForHotspot, .passed, reason: ""),
        .join(ssid: "rig-1", join: ["by": "harness"]),
        .proveLink, .stageEnded(.connectHotspot, .passed, reason: ""),
        .stageBegan(.receiveAddress, deadline: at(21_900)), .stageBegan(.startSession, deadline: at(41_900)),
        .stageEnded(.receiveAddress, .passed, reason: ""), .gate(.address),
        .stageBegan(.play, deadline: at(17_300)), .openMedia(ScriptedSession.url),
        .stageEnded(.play, .passed, reason: ""), .gate(.media),
        .stageEnded(.startSession, .passed, reason: ""), .gate(.active), .stageBegan(.running, deadline: nil),
        .stageEnded(.running, .passed, reason: ""), .stageBegan(.finish, deadline: at(27_900)), .sendStop,
        .stageEnded(.finish, .passed, reason: ""), .gate(.ended), .closeMedia,
        .stageBegan(.cleanUp, deadline: at(28_200)), .proveClean,
        .stageEnded(.cleanUp, .passed, reason: ""), .finished,
      ])
    #expect(s.session.isOver)
    #expect(s.session.failure == nil)
    #expect(s.session.reached == .ended)
    #expect(s.session.doubts.isEmpty)
    #expect(s.session.stopWasRequested)
    #expect(s.session.records.allSatisfy { $0.outcome == .passed })
    #expect(s.record(of: .running)?.duration == .seconds(5))
    #expect(s.session.nextDeadline == nil)
  }

  // MARK: 1. A stage begins once, and its limit runs from its first beginning

  @Test func repeatedBeginningsNeverRestartTheTimer() {
    var script = Healthy.before(3900)
    for ms in stride(from: 4000, through: 12_000, by: 1000) {
      script.append((ms, .event("enterLiveStreamingModeStarting")))
    }
    let s = ScriptedSession(script + [(13_000, .wait)])
    #expect(s.failurePoint == FailurePoint(.enterLiveMode))
    #expect(s.failed(.enterLiveMode) == 12_010)
    let begun = s.actions.filter { if case .stageBegan(.enterLiveMode, _) = $0 { true } else { false } }
    #expect(begun.count == 1)
  }

  @Test func aRepeatedJoinRequestJoinsOnce() {
    let again = Step.event("connectDeviceHotspotStarting", ["ssid": "other"])
    let s = ScriptedSession(Healthy.with([8000: again, 9000: again]))
    let joins = s.actions.filter { if case .join = $0 { true } else { false } }
    #expect(joins == [.join(ssid: "rig-1", join: ["by": "harness"])])
    #expect(s.session.failure == nil)
  }

  @Test func aRepeatedJoinReportIsProvenOnce() {
    let s = ScriptedSession(Healthy.with([11_850: .done("deviceHotspotConnectCompletion")]))
    #expect(s.count(.proveLink) == 1)
    #expect(s.session.failure == nil)
  }

  @Test func theStartIsSentOnce() {
    let s = ScriptedSession(Healthy.with([15: .ready, 25: .ready, 2500: .ready]))
    #expect(s.count(.sendStart) == 1)
  }

  // MARK: 2. A failed stage ends the session

  @Test func aFailedStageBlocksEveryLaterOne() {
    let s = ScriptedSession(
      Healthy.with([
        3900: .refused("enterLiveStreamingModeCompleted"), 4000: .fact(.portClosed), 4001: .fact(.hotspotGone),
        4002: .fact(.wireQuiet),
      ]))
    #expect(s.failurePoint == FailurePoint(.enterLiveMode))
    #expect(s.failed(.enterLiveMode) == 3900)
    #expect(s.reason == "reported failure: demo 7: no")
    for stage: StageID in [.waitForHotspot, .connectHotspot, .receiveAddress, .play, .startSession, .running, .finish] {
      #expect(!s.began(stage), "\(stage)")
      #expect(s.outcome(stage) == .blocked, "\(stage)")
    }
    #expect(s.count(.sendStop) == 1)
    #expect(s.count(.proveClean) == 1)
    #expect(s.session.reached == .accepted)
    #expect(s.outcome(.cleanUp) == .passed)
    #expect(s.session.isOver)
  }

  @Test func nothingAcceptedNothingToCleanUp() {
    let refused = ScriptedSession([(0, .begin), (10, .ready), (20, .input(.startRefused("busy")))])
    #expect(refused.failurePoint == FailurePoint(.configureStream))
    #expect(refused.reason == "start refused: busy")
    #expect(refused.session.isOver)
    #expect(refused.count(.sendStop) == 0)
    #expect(!refused.began(.cleanUp))
    #expect(refused.session.reached == .ready)

    let unready = ScriptedSession([(0, .begin), (10, .input(.preflightFailed("not worn")))])
    #expect(unready.failurePoint == FailurePoint(.preflight))
    #expect(unready.session.failure?.blame == .rig)
    #expect(unready.actions.last == .finished)
    #expect(unready.count(.sendStart) == 0)
    #expect(unready.session.reached == nil)
  }

  /// A start without a reply may have reached the device: it is stopped and checked.
  @Test func anUnansweredStartIsCleanedUp() {
    let s = ScriptedSession([(0, .begin), (10, .ready), (10_010, .wait)])
    #expect(s.failurePoint == FailurePoint(.configureStream))
    #expect(s.reason == "timed out after 10 s without a reply to start")
    #expect(s.count(.sendStop) == 1)
    #expect(s.session.isCleaning)
  }

  // MARK: 3. The first failed stage is the failure point

  @Test func laterFailuresAreRecordedOnly() {
    let s = ScriptedSession(
      Healthy.with([
        12_500: .fact(.mediaFailed, "connection refused"), 12_900: .refused("sessionStartCompletion"),
        18_300: .fact(.portStillOpen, "the port still answers"),
      ]))
    #expect(s.failurePoint == FailurePoint(.play))
    #expect(s.reason == "connection refused")
    #expect(s.outcome(.startSession) == .blocked)
    #expect(s.outcome(.cleanUp) == .failed)
    #expect(s.record(of: .cleanUp)?.reason == "the port still answers")
  }

  @Test func anAddressWhereNobodyAnswersIsToBlame() {
    let s = ScriptedSession(Healthy.with([12_500: .fact(.mediaUnreachable, "connection refused")]))
    #expect(s.failurePoint == FailurePoint(.receiveAddress))
    #expect(s.reason == "nobody answers at the address: connection refused")
    #expect(s.outcome(.receiveAddress) == .failed)
    #expect(s.outcome(.play) == .blocked)
    #expect(s.session.reached == .accepted)
    #expect(s.count(.proveClean) == 1)
    // Once a picture was there, somebody does answer: that is a gap.
    let late = ScriptedSession(Healthy.with([15_000: .fact(.mediaUnreachable, "connection refused")]))
    #expect(late.failurePoint == FailurePoint(.running))
  }

  // MARK: 4. Nothing but the received address is opened

  @Test(arguments: [
    "http://192.168.43.1/live", "rtsp:///live", "rtsp://h\u{7}/live", "rtsp://255.255.255.255:8554/", "",
  ])
  func anInvalidAddressIsRefusedAndNeverOpened(address: String) {
    let s = ScriptedSession(Healthy.with([12_300: .address(address)]))
    #expect(s.failurePoint == FailurePoint(.receiveAddress))
    #expect(s.failed(.receiveAddress) == 12_300)
    let refusals = s.actions.filter { if case .refuseAddress(address, _) = $0 { true } else { false } }
    #expect(refusals.count == 1)
    #expect(!s.actions.contains { if case .openMedia = $0 { true } else { false } })
    #expect(s.session.openedAddress == nil)
    #expect(s.session.reached == .accepted)
  }

  @Test func anAddressThatIsMissingFromItsEventIsInvalid() {
    let s = ScriptedSession(Healthy.with([12_300: .event("rtspAddressReceived")]))
    #expect(s.failurePoint == FailurePoint(.receiveAddress))
    #expect(s.reason == "the address is invalid: the event carries no address")
  }

  @Test func aSecondAddressIsNotOpened() {
    let s = ScriptedSession(Healthy.with([12_400: .address("rtsp://192.168.43.9/other"), 13_000: .address()]))
    let opened = s.actions.filter { if case .openMedia = $0 { true } else { false } }
    #expect(opened == [.openMedia(ScriptedSession.url)])
    #expect(s.session.openedAddress == ScriptedSession.url)
    #expect(s.session.failure == nil)
  }

  /// `rtspAddressReceived` may come while the harness still proves the join.
  @Test func anAddressBeforeTheProofOfTheJoinIsKept() {
    let s = ScriptedSession(Healthy.with([11_850: .address(), 12_300: nil]))
    let join = s.actions.firstIndex(of: .stageEnded(.connectHotspot, .passed, reason: ""))
    let open = s.actions.firstIndex(of: .openMedia(ScriptedSession.url))
    #expect(join != nil && open != nil && join! < open!)
    #expect(s.session.failure == nil)
    #expect(s.session.reached == .ended)
  }

  @Test func anInvalidEarlyAddressFailsOnceTheJoinIsProven() {
    let s = ScriptedSession(Healthy.with([11_850: .address("ftp://h/x"), 12_300: nil]))
    #expect(s.failurePoint == FailurePoint(.receiveAddress))
    #expect(s.failed(.receiveAddress) == 11_900)
    #expect(!s.began(.startSession))
  }

  // MARK: 5. A reported success without its fact never completes a stage

  @Test func aJoinThatIsContradictedFails() {
    let s = ScriptedSession(Healthy.with([11_900: .fact(.linkNotJoined, "nobody answers at 192.168.43.1:8555")]))
    #expect(s.failurePoint == FailurePoint(.connectHotspot))
    #expect(s.reason == "reported as joined, but nobody answers at 192.168.43.1:8555")
    #expect(!s.began(.receiveAddress))
  }

  @Test func aJoinWithoutProofTimesOut() {
    let s = ScriptedSession(
      Healthy.before(11_900) + [(12_300, .address()), (12_900, .done("sessionStartCompletion")), (97_200, .wait)])
    #expect(s.failurePoint == FailurePoint(.connectHotspot))
    #expect(s.reason == "timed out after 90 s without proof of the join")
    #expect(s.failed(.connectHotspot) == 97_200)
    #expect(!s.actions.contains { if case .openMedia = $0 { true } else { false } })
  }

  @Test func aSessionStartWithoutAKeyFrameIsNotActive() {
    let s = ScriptedSession(Healthy.before(12_500) + [(12_900, .done("sessionStartCompletion")), (17_300, .wait)])
    #expect(s.failurePoint == FailurePoint(.play))
    #expect(s.reason == "timed out after 5 s without a decoded key frame")
    #expect(s.session.reached == .address)
    #expect(!s.began(.running))
  }

  @Test func aClaimCompletesNothing() {
    var s = ScriptedSession(Healthy.before(2000))
    #expect(s.play(.event("x.hotspotConfigureCompletion", ["success": true]), at: 100).isEmpty)
    #expect(s.outcome(.configureHotspot) == .unfinished)
  }

  /// A key frame that nobody opened a stream for is not this session's.
  @Test func aKeyFrameBeforeAnAddressProvesNothing() {
    let s = ScriptedSession(
      Healthy.before(12_300) + [
        (12_000, .fact(.keyFrame)), (12_100, .done("sessionStartCompletion")), (21_900, .wait),
      ])
    #expect(s.failurePoint == FailurePoint(.receiveAddress))
    #expect(!s.began(.running))
  }

  // MARK: 6. An event of another run changes nothing

  @Test func eventsOfAnotherRunChangeNothing() {
    let healthy = ScriptedSession(Healthy.script).actions
    for (ms, step) in Healthy.script {
      guard case .event(let name, _, _, _, _) = step else { continue }
      for success in [true, false] {
        let data: JSONValue = ["success": .bool(success), "userStopped": false, "address": "rtsp://elsewhere/x"]
        let foreign = Step.event(name, data, run: "run-0", on: nil, error: 5)
        #expect(ScriptedSession(Healthy.with([ms - 1: foreign])).actions == healthy, "\(name)")
      }
    }
  }

  @Test func eventsWithoutARunBelongToTheRunThatWasStarted() {
    let anonymous = Healthy.script.map { ms, step -> (Int, Step) in
      guard case .event(let name, let data, _, let on, let error) = step else { return (ms, step) }
      return (ms, .event(name, data, run: nil, on: on, error: error))
    }
    #expect(ScriptedSession(anonymous).actions == ScriptedSession(Healthy.script).actions)
    // Left over from an earlier run, before this one's start was sent.
    let stale = Step.event("sessionFinish", ["userStopped": true], run: nil, on: nil, error: 5)
    #expect(ScriptedSession(Healthy.with([5: stale])).actions == ScriptedSession(Healthy.script).actions)
  }

  // MARK: 7. `finished` comes exactly once, and last

  @Test func nothingFollowsFinished() {
    var s = ScriptedSession(Healthy.script)
    let before = s.actions
    let late: [Step] = [
      .begin, .ready, .accepted, .finish(userStopped: false), .address(), .fact(.keyFrame), .fact(.portStillOpen),
      .input(.abort(.rig, "late")), .input(.rebooted("late")), .input(.controlLost("late")), .input(.tick),
    ]
    for (i, step) in late.enumerated() { s.play(step, at: 20_000 + i) }
    #expect(s.actions == before)
    #expect(s.count(.finished) == 1)
    #expect(s.session.failure == nil)
  }

  /// Wherever a session is cut, its end comes once and last.
  @Test func everyCutEndsOnce() {
    for cut in Healthy.script.map(\.0) {
      let s = ScriptedSession(Healthy.before(cut + 1) + [(cut + 1, .input(.abort(.rig, "cut"))), (60_000, .wait)])
      #expect(s.session.isOver, "cut after \(cut) ms")
      #expect(s.count(.finished) == 1, "cut after \(cut) ms")
      #expect(s.actions.last == .finished, "cut after \(cut) ms")
    }
  }
}
