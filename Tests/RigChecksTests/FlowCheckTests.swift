import RigChecks
import RigFlow
import RigModel
import Testing

/// Every rule of the flow: a trace that breaks it, and exactly what is found.
@Suite struct FlowCheckTests {
  private typealias T = FlowTimeline

  struct Trip: Sendable, CustomStringConvertible {
    let what: String
    let trace: @Sendable () -> FlowTimeline
    let check: String
    let message: String
    var severity = Severity.error
    var stage: StageID?
    /// Other checks that this trace trips as well.
    var also: Set<String> = []
    var description: String { "\(check): \(what)" }
  }

  private static let no: JSONValue = ["success": false]
  private static let interrupted: JSONValue = [
    "userStopped": false, "error": ["domain": "demo", "code": 9, "message": "gone"],
  ]

  static let trips: [Trip] = [
    Trip(
      what: "a beginning is repeated", trace: { T.healthy.adding(T.event("configureHotspotStarting", at: 500)) },
      check: "flow.order", message: "configureHotspotStarting came again"),
    Trip(
      what: "a completion is repeated", trace: { T.healthy.adding(T.done("hotspotConfigureCompletion", at: 2005)) },
      check: "flow.order", message: "hotspotConfigureCompletion came again"),
    Trip(
      what: "the beginning that completes another stage is repeated",
      trace: { T.healthy.adding(T.event("connectDeviceHotspotStarting", at: 8000)) },
      check: "flow.order", message: "connectDeviceHotspotStarting came again"),
    Trip(
      what: "a completion without its beginning", trace: { T.healthy.without(2010) },
      check: "flow.order", message: "enterLiveStreamingModeCompleted came without enterLiveStreamingModeStarting"),
    Trip(
      what: "a stage is left out", trace: { T.healthy.without(2010, 3900) },
      check: "flow.order", message: "waitingForHotspotOpen came before enterLiveStreamingModeStarting"),
    Trip(
      what: "a completion is lost", trace: { T.healthy.without(3900) },
      check: "flow.order", message: "waitingForHotspotOpen came before enterLiveStreamingModeCompleted"),
    Trip(
      what: "a completion comes after the next beginning",
      trace: { T.healthy.without(2000).adding(T.done("hotspotConfigureCompletion", at: 3000)) },
      check: "flow.order", message: "enterLiveStreamingModeStarting came before hotspotConfigureCompletion"),
    Trip(
      what: "the address comes twice",
      trace: { T.healthy.adding(T.event("rtspAddressReceived", ["address": .string(T.url)], at: 12_400)) },
      check: "flow.order", message: "rtspAddressReceived came again"),
    Trip(
      what: "the session start comes twice", trace: { T.healthy.adding(T.done("sessionStartCompletion", at: 13_000)) },
      check: "flow.order", message: "sessionStartCompletion came again"),
    Trip(
      what: "an address before the connect",
      trace: {
        T.healthy.without(12_300).adding(T.event("rtspAddressReceived", ["address": .string(T.url)], at: 9000))
      },
      check: "flow.address-vs-start", message: "rtspAddressReceived came before a successful connect"),
    Trip(
      what: "a session start before the connect",
      trace: { T.healthy.without(12_900).adding(T.done("sessionStartCompletion", at: 9000)) },
      check: "flow.address-vs-start", message: "sessionStartCompletion came before a successful connect"),
    Trip(
      what: "running without a session start", trace: { T.healthy.without(12_900) },
      check: "flow.no-early-success", message: "running began without sessionStartCompletion(true)", stage: .running),
    Trip(
      what: "another URL is opened",
      trace: {
        T.healthy.without(12_303).adding((12_303, .action(HarnessAction.open("rtsp://192.168.43.1:554/live"))))
      },
      check: "flow.url-never-guessed", message: "a URL was opened that was not received", stage: .play),
    Trip(
      what: "a URL is opened before one came",
      trace: { T.healthy.without(12_303).adding((12_000, .action(HarnessAction.open(T.url)))) },
      check: "flow.url-never-guessed", message: "a URL was opened that was not received", stage: .play),
    Trip(
      what: "an invalid address",
      trace: {
        T.healthy.upTo(12_299).adding(
          T.event("rtspAddressReceived", ["address": "http://h/"], at: 12_300),
          T.ended(.receiveAddress, .failed, "invalid", at: 12_301))
      },
      check: "flow.url-never-guessed",
      message: "an invalid address was received: the scheme is http, expected rtsp", stage: .receiveAddress),
    Trip(
      what: "the hotspot is left in mid-stream",
      trace: { T.healthy.adding(T.fact(.linkLost, "no station", at: 15_000)) },
      check: "flow.stay-on-hotspot", message: "the hotspot was left: no station", stage: .running),
    Trip(
      what: "the player is closed in mid-stream",
      trace: { T.healthy.without(18_202).adding((15_000, .action(HarnessAction.closeMedia))) },
      check: "flow.keep-player-until-end", message: "the player was closed while the session ran"),
    Trip(
      what: "the player is kept", trace: { T.healthy.without(18_202) },
      check: "flow.keep-player-until-end", message: "the player was never released"),
    Trip(
      what: "the session finishes twice",
      trace: { T.healthy.adding(T.event("sessionFinish", ["userStopped": true], at: 18_250)) },
      check: "flow.finish-once", message: "sessionFinish came after sessionFinish"),
    Trip(
      what: "the session finishes twice, and contradicts itself",
      trace: { T.healthy.adding(T.event("sessionFinish", ["userStopped": false], at: 18_250)) },
      check: "flow.finish-once", message: "sessionFinish came after sessionFinish, and contradicts the first"),
    Trip(
      what: "an event follows the finish",
      trace: { T.healthy.adding(T.event("rtspAddressReceived", ["address": .string(T.url)], at: 18_250)) },
      check: "flow.finish-once", message: "rtspAddressReceived came after sessionFinish"),
    Trip(
      what: "an active session never finishes, not even when it is stopped as clean-up",
      trace: { T.healthy.without(18_200).adding((12_901, .gate(.active))) },
      check: "flow.finish-once", message: "the session was active, and no sessionFinish ever came", stage: .finish),
    Trip(
      what: "a user stop that nobody asked for",
      trace: { T.healthy.without(17_902).adding() },
      check: "flow.user-stop-told-apart", message: "userStopped is true, and nobody asked for a stop", stage: .finish),
    Trip(
      what: "a user stop reported as an interruption",
      trace: { T.healthy.without(18_200).adding(T.event("sessionFinish", interrupted, at: 18_200)) },
      check: "flow.user-stop-told-apart", message: "userStopped is false after a requested stop", stage: .finish),
    Trip(
      what: "userStopped is missing", trace: { T.healthy.without(18_200).adding(T.event("sessionFinish", at: 18_200)) },
      check: "flow.user-stop-told-apart", message: "sessionFinish carries no userStopped", stage: .finish),
    Trip(
      what: "an interruption without an error",
      trace: { T.healthy.without(17_902, 18_200).adding(T.event("sessionFinish", ["userStopped": false], at: 18_200)) },
      check: "flow.user-stop-told-apart", message: "an interruption without an error", severity: .warning,
      stage: .finish),
    Trip(
      what: "the device goes on after a refusal",
      trace: {
        T.healthy.upTo(3899).adding(
          T.event("enterLiveStreamingModeCompleted", no, at: 3900), T.ended(.enterLiveMode, .failed, "no", at: 3901),
          T.event("waitingForHotspotOpen", at: 3910))
      },
      check: "flow.failure-is-terminal",
      message: "waitingForHotspotOpen came after enterLiveStreamingModeCompleted had failed"),
    Trip(
      what: "a lie about the join",
      trace: {
        T.healthy.upTo(11_800).adding(
          T.fact(.linkNotJoined, "nobody answers", at: 11_900), T.ended(.connectHotspot, .failed, "lie", at: 11_901))
      },
      check: "flow.corroborated", message: "the join was reported, but nobody answers", stage: .connectHotspot),
    Trip(
      what: "an event of another run",
      trace: { T.healthy.adding(T.event("sessionFinish", ["userStopped": true], run: "run-0", at: 5000)) },
      check: "flow.other-run", message: "sessionFinish carries another run's id", severity: .warning),
    Trip(
      what: "the media goes on", trace: { T.healthy.adding(T.fact(.wireBusy, "packets after the end", at: 18_900)) },
      check: "flow.clean-end", message: "packets after the end", stage: .cleanUp),
    Trip(
      what: "the port stays open", trace: { T.healthy.adding(T.fact(.portStillOpen, "8554 answers", at: 18_900)) },
      check: "flow.clean-end", message: "8554 answers", stage: .cleanUp),
    Trip(
      what: "the hotspot stays up", trace: { T.healthy.adding(T.fact(.hotspotStillUp, "it beacons", at: 18_900)) },
      check: "flow.clean-end", message: "it beacons", stage: .cleanUp),
    Trip(
      what: "an event that nobody knows", trace: { T.healthy.adding(T.event("batteryLow", at: 14_000)) },
      check: "flow.known-events", message: "unknown event batteryLow", severity: .policy),
  ]

  @Test func theHealthyTraceTripsNothing() {
    #expect(FlowTimeline.healthy.findings() == [])
    #expect(FlowTimeline.healthy.findings(strict: true) == [])
  }

  @Test func everyCheckHasATraceThatTripsIt() {
    let tripped = Set(FlowCheckTests.trips.map(\.check))
    let all = Set(FlowCheckCatalog.infos.map(\.id))
    #expect(tripped == all)
    #expect(FlowCheckCatalog.infos.count == all.count)
  }

  @Test(arguments: trips) func aBrokenRuleIsFound(trip: Trip) {
    let findings = trip.trace().findings()
    let own = findings.filter { $0.check == trip.check }
    #expect(own.map(\.message) == [trip.message])
    #expect(own.first?.severity == trip.severity)
    #expect(own.first?.stage == trip.stage)
    #expect(own.first?.count == 1)
    #expect(own.first?.first.time != nil || trip.message == "the player was never released")
    // One rule broken is one rule found.
    #expect(Set(findings.map(\.check)) == [trip.check], "\(findings.map(\.message))")
  }

  @Test func strictMakesUnknownEventsErrors() {
    let trace = FlowTimeline.healthy.adding(T.event("batteryLow", at: 14_000), T.event("x.new", at: 14_001))
    #expect(trace.findings(strict: true).map(\.severity) == [.error])
  }

  @Test func evidencePointsAtTheEvent() {
    let trace = FlowTimeline.healthy.adding(T.event("configureHotspotStarting", at: 500, sequence: 42))
    let finding = trace.findings().first
    #expect(finding?.first == Evidence(file: "events.jsonl", time: 500_000_000, sequence: 42))
    #expect(finding?.last == nil)
  }

  @Test func repeatsAreCountedTogether() {
    var trace = FlowTimeline.healthy
    for i in 0..<10 {
      trace = trace.adding(T.event("configureHotspotStarting", at: 500 + i, sequence: Int64(i)))
    }
    let findings = trace.findings()
    #expect(findings.count == 1)
    #expect(findings.first?.count == 10)
    #expect(findings.first?.first.sequence == 0)
    #expect(findings.first?.last?.sequence == 9)
  }

  /// A device that invents names cannot make the list of findings grow for ever.
  @Test func findingsStayBounded() {
    var checks = FlowChecks(FlowContext(flow: .rtspHotspot, run: T.run))
    for i in 0..<5000 {
      let unknown = T.event("odd\(i)", at: i)
      let foreign = T.event("odd\(i)", run: "r\(i)", at: i)
      checks.see(TimelineEntry(.zero, unknown.what))
      checks.see(TimelineEntry(.zero, foreign.what))
    }
    let findings = checks.finish()
    #expect(findings.filter { $0.check == "flow.known-events" }.count == 50)
    #expect(findings.filter { $0.check == "flow.other-run" }.count == 50)
  }

  // MARK: What must not be found

  @Test func theSessionStartMayComeBeforeTheAddress() {
    let trace = FlowTimeline.healthy.without(12_900).adding(T.done("sessionStartCompletion", at: 12_000))
    #expect(trace.findings() == [])
  }

  /// What a failed stage leaves behind is no violation: the harness stops, and the device answers.
  @Test func aCleanFailureTripsNothing() {
    let trace = FlowTimeline.healthy.upTo(12_303).adding(
      T.ended(.play, .failed, "timed out", at: 17_303), (17_304, .action(HarnessAction.closeMedia)),
      (17_305, .action(HarnessAction.stopAsCleanUp)), T.event("sessionFinish", ["userStopped": true], at: 17_400))
    #expect(trace.findings() == [])
  }

  @Test func aRefusalMayBeFollowedByTheFinish() {
    let trace = FlowTimeline.healthy.upTo(3899).adding(
      T.event("enterLiveStreamingModeCompleted", FlowCheckTests.no, at: 3900),
      T.ended(.enterLiveMode, .failed, "no", at: 3901),
      T.event("sessionFinish", FlowCheckTests.interrupted, at: 3950))
    #expect(trace.findings() == [])
  }

  /// An interruption with its error is how a device must report one.
  @Test func anInterruptionWithItsErrorTripsNothing() {
    let trace = FlowTimeline.healthy.upTo(12_902).adding(
      T.event("sessionFinish", FlowCheckTests.interrupted, at: 15_000), T.ended(.running, at: 15_001),
      T.began(.finish, at: 15_002), T.ended(.finish, .failed, "interrupted", at: 15_003),
      (15_004, .action(HarnessAction.closeMedia)))
    #expect(trace.findings() == [])
  }

  /// The player goes with the session when the control link is lost or the rig gives up: no stage has failed then.
  @Test(arguments: [StageOutcome.blocked, .unfinished])
  func thePlayerMayGoWithTheSession(outcome: StageOutcome) {
    let trace = FlowTimeline.healthy.upTo(12_902).adding(
      T.fact(.controlLost, at: 15_000), T.ended(.running, outcome, "ended by control-link", at: 23_000),
      (23_001, .action(HarnessAction.closeMedia)), (23_002, .action(HarnessAction.stopAsCleanUp)))
    #expect(trace.findings() == [])
  }

  @Test func aLinkThatIsLostOutsideTheStreamIsNotThisChecksBusiness() {
    let trace = FlowTimeline.healthy.adding(T.fact(.linkLost, at: 5000), T.fact(.linkLost, at: 18_250))
    #expect(trace.findings().filter { $0.check == "flow.stay-on-hotspot" } == [])
  }

  // MARK: Other runs

  @Test func aStageCompletedByAnotherRunIsAnError() {
    let trace = FlowTimeline.healthy.without(3900).adding(
      T.event("enterLiveStreamingModeCompleted", ["success": true], run: "run-0", at: 3900))
    let own = trace.findings().filter { $0.check == "flow.other-run" && $0.severity == .error }
    #expect(own.map(\.message) == ["enter-live-mode was completed by another run's enterLiveStreamingModeCompleted"])
    #expect(own.first?.stage == .enterLiveMode)
  }

  /// The fact, not the stray event before it, completed the stage.
  @Test func aStrayEventBeforeTheFactAccusesNobody() {
    let trace = FlowTimeline.healthy.adding(
      T.event("deviceHotspotConnectCompletion", ["success": true], run: "run-0", at: 11_850))
    #expect(trace.findings().map(\.severity) == [.warning])
  }

  @Test func claimsAreNobodysEvents() {
    let trace = FlowTimeline.healthy.adding(
      T.event("x.sessionFinish", run: "run-0", at: 500), T.event("x.fault.fired", at: 18_250))
    #expect(trace.findings(strict: true) == [])
  }
}
