import RigChecks
import RigFlow
import RigModel
import Testing

/// The verdict's rules, row by row.
@Suite struct JudgeTests {
  /// What was observed; the defaults are a session that ran and ended as planned.
  struct Observed: Sendable {
    var expected: FailurePoint?
    var wantedGate: Gate?
    var never: [String] = []
    var failure: (point: FailurePoint, blame: Session.Failure.Blame)?
    var doubt: String?
    var reached: Gate? = .ended
    var doubts: [String] = []
    /// `at`, `do`, whether it fired, what it trips.
    var faults: [(StageID, String, Bool, [String])] = []
    var findings: [Finding] = []
    var weak = ""
    var dirty = ""
    var events: Set<String> = []
    var rig: [String] = []
    var agentUnderTest = false

    var ruling: Judge.Ruling {
      var evidence = Judge.Evidence(
        expectation: Expectation(failed: expected, reached: wantedGate, never: never), flow: .rtspHotspot,
        reached: reached, stages: stages, doubts: doubts, eventsSeen: events, rigProblems: rig,
        agentUnderTest: agentUnderTest)
      if let failure {
        evidence.failure = JudgeTests.failure(failure.point, failure.blame, doubt: doubt)
      }
      evidence.faults = faults.map { stage, verb, fired, trips in
        let request = FaultRequest(at: stage, do: verb)
        return (request, FaultRecord(text: request.text, fired: fired, proof: fired ? "seen" : "not seen"), trips)
      }
      evidence.groups = [CheckGroupRecord(group: "g", judged: [], inconclusive: weak, findings: findings)]
      return Judge.rule(evidence)
    }

    /// Stages before the failure passed; later ones never began.
    private var stages: [StageRecord] {
      let ids = Flow.rtspHotspot.stages.map(\.id)
      let cut = failure.flatMap { f in ids.firstIndex { FailurePoint($0) == f.point } } ?? (failure == nil ? 12 : 9)
      return ids.enumerated().map { i, id in
        if id == .cleanUp, !dirty.isEmpty {
          return StageRecord(id: id.rawValue, outcome: .failed, began: .zero, reason: dirty)
        }
        let outcome: StageOutcome = i < cut ? .passed : i == cut ? .failed : .blocked
        return StageRecord(id: id.rawValue, outcome: outcome, began: i <= cut ? .zero : nil)
      }
    }
  }

  /// A failure as a session makes it.
  static func failure(
    _ point: FailurePoint, _ blame: Session.Failure.Blame, doubt: String?
  ) -> Session.Failure? {
    var session = Session(flow: .rtspHotspot, setup: Session.Setup(run: "r", playFor: .seconds(1)))
    _ = session.handle(.begin, at: .zero)
    _ = session.handle(.abort(point, "it broke"), at: .zero)
    var failure = session.failure
    failure?.blame = blame
    failure?.doubt = doubt
    return failure
  }

  private static func finding(
    _ check: String, _ severity: Severity = .error, stage: StageID? = nil, count: Int = 1, frame: Int? = nil
  ) -> Finding {
    Finding(
      check: check, severity: severity, message: "broken", first: Evidence(frame: frame), count: count, stage: stage)
  }

  struct Row: Sendable, CustomStringConvertible {
    let what: String
    let verdict: Verdict
    let point: FailurePoint?
    let reason: String
    let observed: Observed
    init(
      _ what: String, _ verdict: Verdict, _ point: FailurePoint?, _ reason: String,
      _ change: (inout Observed) -> Void = { _ in }
    ) {
      self.what = what
      self.verdict = verdict
      self.point = point
      self.reason = reason
      var observed = Observed()
      change(&observed)
      self.observed = observed
    }
    var description: String { what }
  }

  private static let live = FailurePoint(.enterLiveMode)
  private static let play = FailurePoint(.play)

  @Test(arguments: [
    Row("nothing deviates", .pass, nil, "the session ran and ended as planned"),
    Row("a stage failed", .fail, live, "failed at enter-live-mode: it broke") { $0.failure = (live, .subject) },
    Row("a stage failed as expected", .pass, live, "failed at enter-live-mode as expected: it broke") {
      $0.failure = (live, .subject)
      $0.expected = live
    },
    Row(
      "a stage failed, another was expected to", .fail, play,
      "expected a failure at enter-live-mode, but the session failed at play: it broke"
    ) {
      $0.failure = (play, .subject)
      $0.expected = live
    },
    Row("an expected failure did not happen", .fail, nil, "expected a failure at play, but the session succeeded") {
      $0.expected = play
    },
    // The rig
    Row("a preflight failed", .error, FailurePoint(.preflight), "failed at preflight: it broke") {
      $0.failure = (FailurePoint(.preflight), .rig)
    },
    Row("a preflight failed as expected", .pass, FailurePoint(.preflight), "failed at preflight as expected: it broke")
    {
      $0.failure = (FailurePoint(.preflight), .rig)
      $0.expected = FailurePoint(.preflight)
    },
    Row(
      "the rig failed, and the plan expected a stage to", .error, .rig,
      "expected a failure at play, but the session failed at rig: it broke"
    ) {
      $0.failure = (.rig, .rig)
      $0.expected = play
    },
    Row("the rig failed", .error, .rig, "it broke") { $0.failure = (.rig, .rig) },
    Row("the control link was lost", .error, .controlLink, "failed at control-link: it broke") {
      $0.failure = (.controlLink, .rig)
    },
    Row(
      "the control link was lost, and the agent is the subject", .fail, .controlLink, "failed at control-link: it broke"
    ) {
      $0.failure = (.controlLink, .rig)
      $0.agentUnderTest = true
    },
    Row("the control link was lost as expected", .pass, .controlLink, "failed at control-link as expected: it broke") {
      $0.failure = (.controlLink, .rig)
      $0.expected = .controlLink
    },
    Row("the rig failed, and the agent is the subject", .error, .rig, "it broke") {
      $0.failure = (.rig, .rig)
      $0.agentUnderTest = true
    },
    Row("the rig had a problem", .error, .rig, "the capture file is cut") { $0.rig = ["the capture file is cut"] },
    Row("a problem of the rig after an established failure", .fail, live, "failed at enter-live-mode: it broke") {
      $0.failure = (live, .subject)
      $0.rig = ["the capture file is cut"]
    },
    Row("a problem of the rig after a finding", .fail, .protocolOrder, "failed at protocol-order: flow.order: broken") {
      $0.findings = [finding("flow.order")]
      $0.rig = ["the capture file is cut"]
    },
    Row("a problem of the rig beside an expected failure", .error, live, "the capture file is cut") {
      $0.failure = (live, .subject)
      $0.expected = live
      $0.rig = ["the capture file is cut"]
    },
    // Faults
    Row("a fault fired, and its failure came", .pass, live, "failed at enter-live-mode as expected: it broke") {
      $0.failure = (live, .subject)
      $0.expected = live
      $0.faults = [(.enterLiveMode, "hang", true, [])]
    },
    Row(
      "a fault did not fire, and all went well", .error, .rig,
      "the fault hang at enter-live-mode did not fire: not seen"
    ) {
      $0.faults = [(.enterLiveMode, "hang", false, [])]
    },
    Row(
      "a fault did not fire, and the expected failure came all the same", .error, live,
      "the fault hang at enter-live-mode did not fire: not seen"
    ) {
      $0.failure = (live, .subject)
      $0.expected = live
      $0.faults = [(.enterLiveMode, "hang", false, [])]
    },
    Row(
      "a fault did not fire, since the session had failed before", .fail, live,
      "expected a failure at finish, but the session failed at enter-live-mode: it broke"
    ) {
      $0.failure = (live, .subject)
      $0.expected = FailurePoint(.finish)
      $0.faults = [(.finish, "no-finish", false, [])]
    },
    Row(
      "a fault did not fire, and the session failed after its stage", .error, play,
      "the fault delay at enter-live-mode did not fire: not seen"
    ) {
      $0.failure = (play, .subject)
      $0.faults = [(.enterLiveMode, "delay", false, [])]
    },
    Row(
      "a fault never had its chance, since the agent under test was lost", .fail, .controlLink,
      "expected a failure at finish, but the session failed at control-link: it broke"
    ) {
      $0.failure = (.controlLink, .rig)
      $0.expected = FailurePoint(.finish)
      $0.faults = [(.finish, "no-finish", false, [])]
      $0.agentUnderTest = true
    },
    Row("one of two faults did not fire", .error, live, "the fault delay at play did not fire: not seen") {
      $0.failure = (live, .subject)
      $0.expected = live
      $0.faults = [(.enterLiveMode, "hang", true, []), (.play, "delay", false, [])]
    },
    // Findings
    Row("a finding alone", .fail, FailurePoint(.running), "failed at running: rtp.seq: broken (frame 12), 3 times") {
      $0.findings = [finding("rtp.seq", count: 3, frame: 12)]
    },
    Row("a finding on the dialogue", .fail, play, "failed at play: rtsp.cseq.echo: broken") {
      $0.findings = [finding("rtsp.cseq.echo")]
    },
    Row("a finding that names its stage", .fail, FailurePoint(.cleanUp), "failed at clean-up: flow.clean-end: broken") {
      $0.findings = [finding("flow.clean-end", stage: .cleanUp)]
    },
    Row("warnings and policies", .pass, nil, "the session ran and ended as planned") {
      $0.findings = [finding("rtp.seq", .warning), finding("flow.known-events", .policy)]
    },
    Row("a failed stage outranks findings", .fail, live, "failed at enter-live-mode: it broke") {
      $0.failure = (live, .subject)
      $0.findings = [finding("flow.order"), finding("rtp.seq")]
    },
    Row(
      "a fault's own finding is the expected failure", .pass, .protocolOrder,
      "failed at protocol-order as expected: flow.finish-once: broken"
    ) {
      $0.expected = .protocolOrder
      $0.faults = [(.finish, "finish-twice", true, ["flow.finish-once"])]
      $0.findings = [finding("flow.finish-once")]
    },
    Row(
      "a finding may be the expected failure without any fault", .pass, .protocolOrder,
      "failed at protocol-order as expected: flow.order: broken"
    ) {
      $0.expected = .protocolOrder
      $0.findings = [finding("flow.order")]
    },
    Row("a finding that nobody asked for, beside the fault's own", .fail, .protocolOrder, "flow.order: broken") {
      $0.expected = .protocolOrder
      $0.faults = [(.finish, "finish-twice", true, ["flow.finish-once"])]
      $0.findings = [finding("flow.finish-once"), finding("flow.order")]
    },
    Row(
      "a finding elsewhere, beside the fault's own", .fail, FailurePoint(.running),
      "expected a failure at protocol-order, but the session failed at running: rtp.seq: broken"
    ) {
      $0.expected = .protocolOrder
      $0.faults = [(.finish, "finish-twice", true, ["flow.finish-once"])]
      $0.findings = [finding("flow.finish-once"), finding("rtp.seq")]
    },
    Row(
      "a fired fault explains its findings beside the failed stage", .pass, FailurePoint(.running),
      "failed at running as expected: it broke"
    ) {
      $0.failure = (FailurePoint(.running), .subject)
      $0.expected = FailurePoint(.running)
      $0.faults = [(.running, "stall", true, ["timing.monotonic"])]
      $0.findings = [finding("timing.monotonic", stage: .play)]
    },
    Row(
      "a finding of the stage that failed is explained by it", .pass, FailurePoint(.connectHotspot),
      "failed at connect-hotspot as expected: it broke"
    ) {
      $0.failure = (FailurePoint(.connectHotspot), .subject)
      $0.expected = FailurePoint(.connectHotspot)
      $0.findings = [finding("flow.corroborated", stage: .connectHotspot)]
    },
    Row(
      "another finding at the stage that failed as expected", .fail, FailurePoint(.running), "rtp.seq: broken"
    ) {
      $0.failure = (FailurePoint(.running), .subject)
      $0.expected = FailurePoint(.running)
      $0.findings = [finding("rtp.seq", stage: .running)]
    },
    Row("a broken dialogue beside an expected failure to play", .fail, play, "rtsp.cseq.echo: broken") {
      $0.failure = (play, .subject)
      $0.expected = play
      $0.findings = [finding("rtsp.cseq.echo")]
    },
    Row(
      "a fault explains its own findings at the stage that fails, and no others", .fail, FailurePoint(.running),
      "rtcp.bye: broken"
    ) {
      $0.failure = (FailurePoint(.running), .subject)
      $0.expected = FailurePoint(.running)
      $0.faults = [(.running, "stall", true, ["media.gap"])]
      $0.findings = [finding("media.gap", stage: .running), finding("rtcp.bye", stage: .running)]
    },
    Row("a finding that the expected failure does not explain", .fail, .protocolOrder, "flow.order: broken") {
      $0.failure = (live, .subject)
      $0.expected = live
      $0.findings = [finding("flow.order")]
    },
    Row(
      "a fault that did not fire explains nothing", .error, FailurePoint(.running),
      "the fault drop at running did not fire: not seen"
    ) {
      $0.faults = [(.running, "drop", false, ["rtp.seq"])]
      $0.findings = [finding("rtp.seq")]
    },
    // Clean-up
    Row(
      "a dirty end after an expected failure", .fail, FailurePoint(.cleanUp), "clean-up failed: the port still answers"
    ) {
      $0.failure = (live, .subject)
      $0.expected = live
      $0.dirty = "the port still answers"
    },
    Row("a dirty end that was expected", .pass, FailurePoint(.cleanUp), "failed at clean-up as expected: it broke") {
      $0.failure = (FailurePoint(.cleanUp), .subject)
      $0.expected = FailurePoint(.cleanUp)
      $0.dirty = "the port still answers"
    },
    Row("a dirty end after an unexpected failure hides nothing", .fail, live, "failed at enter-live-mode: it broke") {
      $0.failure = (live, .subject)
      $0.dirty = "the port still answers"
    },
    // Gates and events
    Row("the wanted gate", .pass, live, "failed at enter-live-mode as expected: it broke") {
      $0.failure = (live, .subject)
      $0.expected = live
      $0.reached = .accepted
      $0.wantedGate = .accepted
    },
    Row("another gate", .fail, live, "expected the last gate accepted, but it was active") {
      $0.failure = (live, .subject)
      $0.expected = live
      $0.reached = .active
      $0.wantedGate = .accepted
    },
    Row("no gate at all", .fail, nil, "expected the last gate ended, but it was none") {
      $0.reached = nil
      $0.wantedGate = .ended
    },
    Row("an event that must never come", .fail, live, "rtspAddressReceived came, and must never come") {
      $0.failure = (live, .subject)
      $0.expected = live
      $0.never = ["sessionStartCompletion", "rtspAddressReceived"]
      $0.events = ["rtspAddressReceived", "sessionFinish"]
    },
    Row("an event that must never come, and did not", .pass, nil, "the session ran and ended as planned") {
      $0.never = ["rtspAddressReceived"]
      $0.events = ["sessionFinish"]
    },
    // Weak evidence
    Row("a limit too near to tell", .inconclusive, nil, "too near") { $0.doubts = ["too near"] },
    Row("a hole in the capture", .inconclusive, .rig, "800 ms are missing") { $0.weak = "800 ms are missing" },
    Row("findings on weak evidence", .inconclusive, .rig, "800 ms are missing") {
      $0.weak = "800 ms are missing"
      $0.findings = [finding("rtp.seq")]
    },
    Row("a doubt beside an established failure", .fail, live, "failed at enter-live-mode: it broke") {
      $0.failure = (live, .subject)
      $0.doubts = ["too near"]
      $0.weak = "800 ms are missing"
    },
    Row("a doubt beside an expected failure", .inconclusive, live, "too near") {
      $0.failure = (live, .subject)
      $0.expected = live
      $0.doubts = ["too near"]
    },
    Row("a doubtful failure", .inconclusive, live, "failed at enter-live-mode: it broke; late on the link") {
      $0.failure = (live, .subject)
      $0.doubt = "late on the link"
    },
    Row(
      "a doubtful failure that was expected", .inconclusive, live,
      "failed at enter-live-mode: it broke; late on the link"
    ) {
      $0.failure = (live, .subject)
      $0.expected = live
      $0.doubt = "late on the link"
    },
    Row("a doubtful failure, and a problem of the rig", .error, live, "the capture file is cut") {
      $0.failure = (live, .subject)
      $0.doubt = "late on the link"
      $0.rig = ["the capture file is cut"]
    },
    Row("a doubt, and a problem of the rig", .error, .rig, "the capture file is cut") {
      $0.doubts = ["too near"]
      $0.rig = ["the capture file is cut"]
    },
    Row("a dirty end outranks a doubt", .fail, FailurePoint(.cleanUp), "clean-up failed: the port still answers") {
      $0.failure = (live, .subject)
      $0.expected = live
      $0.dirty = "the port still answers"
      $0.doubts = ["too near"]
    },
  ])
  func ruling(row: Row) {
    let ruling = row.observed.ruling
    #expect(ruling.verdict == row.verdict)
    #expect(ruling.failurePoint == row.point)
    #expect(ruling.reason == row.reason)
  }

  /// Whatever else is observed, these stand.
  @Test func noCombinationPassesWhatMustNot() {
    for bits in 0..<64 {
      func has(_ i: Int) -> Bool { bits & (1 << i) != 0 }
      var o = Observed()
      if has(0) { o.failure = (JudgeTests.live, .subject) }
      if has(1) { o.expected = JudgeTests.live }
      if has(2) { o.findings = [JudgeTests.finding("flow.order")] }
      if has(3) { o.rig = ["r"] }
      if has(4) { o.faults = [(.configureHotspot, "delay", false, [])] }
      if has(5) { o.dirty = "d" }
      let verdict = o.ruling.verdict
      let isClean = !has(2) && !has(3) && !has(4) && !has(5)
      #expect((verdict == .pass) == (isClean && has(0) == has(1)), "\(o)")
      if has(4) { #expect(verdict == .error) }
      if has(0), !has(1), !has(4) { #expect(verdict == .fail) }
    }
  }
}
