import RigFlow
import RigModel
import Testing

/// What every fault of the catalog must be: named, legal, and proven by what others saw, never by the device's word.
@Suite struct FaultContractTests {
  /// One fault at one stage.
  struct Cell: Sendable, CustomStringConvertible {
    let definition: FaultDefinition
    let stage: StageID
    var description: String { "\(definition.verb) at \(stage)" }
    static let all = FaultCatalog.all.flatMap { d in
      (d.stages[.rtspHotspot] ?? []).map { Cell(definition: d, stage: $0) }
    }

    func prover(asked: Duration = FaultContractTests.asked) -> FaultProver {
      let request = FaultRequest(at: stage, do: definition.verb, arguments: ["for": .duration(asked)])
      return FaultProver(request, definition, flow: .rtspHotspot, run: ScriptedSession.run)
    }

    func proof(in timeline: [TimelineEntry], asked: Duration = FaultContractTests.asked) -> String? {
      var prover = prover(asked: asked)
      for entry in timeline { prover.see(entry) }
      return prover.proven
    }

    /// When the healthy session completes this stage, and by which event.
    var completion: (ms: Int, name: String) {
      switch stage {
      case .configureHotspot: (2000, "hotspotConfigureCompletion")
      case .enterLiveMode: (3900, "enterLiveStreamingModeCompleted")
      case .waitForHotspot: (7200, "connectDeviceHotspotStarting")
      case .connectHotspot: (11_800, "deviceHotspotConnectCompletion")
      case .receiveAddress: (12_300, "rtspAddressReceived")
      default: (12_900, "sessionStartCompletion")
      }
    }
  }

  /// Longer than any stage of the healthy session takes, shorter than any limit.
  static let asked = Duration.seconds(6)

  @Test func everyVerbAndStageIsUnique() {
    var seen: Set<String> = []
    for definition in FaultCatalog.all {
      for (flow, stages) in definition.stages {
        for stage in stages {
          #expect(seen.insert("\(flow) \(definition.verb) \(stage)").inserted, "\(definition.verb) at \(stage) twice")
        }
      }
    }
  }

  @Test func everyFaultIsDocumentedAndLegal() {
    for definition in FaultCatalog.all {
      let name = definition.verb
      #expect(name.allSatisfy { $0.isLowercase || $0 == "-" } && !name.isEmpty, "\(name)")
      #expect(definition.summary.count > 10 && !definition.summary.hasSuffix("."), "\(name)")
      #expect(!definition.stages.isEmpty, "\(name)")
      for (flow, stages) in definition.stages {
        #expect(!stages.isEmpty, "\(name)")
        for stage in stages {
          #expect(FlowCatalog.flow(flow).stage(stage) != nil, "\(name): no stage \(stage) in \(flow)")
          #expect(definition.isLegal(at: stage, in: flow))
          #expect(FaultCatalog.definition(name, at: stage, in: flow)?.proof == definition.proof)
        }
        #expect(!definition.isLegal(at: "no-such-stage", in: flow))
      }
      for argument in definition.arguments { #expect(!argument.summary.isEmpty, "\(name): \(argument.name)") }
      #expect(Set(definition.arguments.map(\.name)).count == definition.arguments.count, "\(name)")
      // What only a capture shows cannot be proven without packets.
      if definition.proof.needsCapture { #expect(definition.needsWire, "\(name)") }
      if definition.proof == .lateCompletion {
        #expect(definition.arguments.contains { $0.name == "for" && $0.kind == .duration && $0.required }, "\(name)")
      }
    }
  }

  // MARK: Proof

  @Test(arguments: Cell.all) func theFaultIsProvenByWhatItDoes(cell: Cell) {
    if cell.definition.proof == .link { return theLinkProvesWhatItPerforms(cell) }
    let timeline = FaultContractTests.timeline(of: cell)
    let proof = cell.proof(in: timeline)
    #expect(proof?.isEmpty == false, "\(cell) was not proven")
    var prover = cell.prover()
    for entry in timeline { prover.see(entry) }
    #expect(prover.record == FaultRecord(text: "\(cell)", fired: true, proof: proof ?? ""))
  }

  /// Only what the link counted of this very fault, not that some link fault acted.
  private func theLinkProvesWhatItPerforms(_ cell: Cell) {
    let fact = Fact(.linkImpaired, by: .link, at: .zero, detail: "25 of 500 frames down")
    #expect(cell.proof(in: [TimelineEntry(.zero, .fact(fact))]) == nil)
    var prover = cell.prover()
    prover.see(fromLink: Fact(.linkLost, by: .link, at: .zero, detail: "gone"))
    #expect(prover.proven == nil)
    prover.see(fromLink: fact)
    #expect(prover.record == FaultRecord(text: "\(cell)", fired: true, proof: fact.detail))
  }

  /// Nobody's word is proof: the session is healthy, and the device claims what it likes.
  @Test(arguments: Cell.all) func aClaimProvesNothing(cell: Cell) {
    let word: JSONValue = [
      "verb": .string(cell.definition.verb), "at": .string(cell.stage.rawValue), "success": false, "userStopped": false,
      "address": "http://h/",
    ]
    var script = Healthy.script
    for (ms, name) in [
      (1000, "x.fault.fired"), (9000, "x.fault.fired"), (15_000, "x.fault.fired"), (15_001, "x.sessionFinish"),
      (15_002, "x.\(cell.completion.name)"), (18_250, "x.fault.fired"),
    ] {
      script.append((ms, .event(name, word)))
    }
    var timeline: [TimelineEntry] = [
      TimelineEntry(.zero, .faultArmed("\(cell)", id: "f1")),
      TimelineEntry(.zero, .faultFired("\(cell)", proof: "word")),
      TimelineEntry(.zero, .deviceLog("fault fired: \(cell)")), TimelineEntry(.zero, .note("fault \(cell)")),
    ]
    timeline += ScriptedSession.timeline(script.sorted())
    #expect(cell.proof(in: timeline) == nil)
    var prover = cell.prover()
    for entry in timeline { prover.see(entry) }
    #expect(!prover.record.fired)
    #expect(prover.record.proof.hasPrefix("no proof: "))
  }

  /// The same deviation under another run's id is another run's (but for the faults that the harness's own side shows).
  @Test(arguments: Cell.all) func anotherRunsEventsProveNothing(cell: Cell) {
    switch cell.definition.proof {
    case .refused where cell.stage != .configureStream, .repeatedCompletion, .secondAddress, .address(.scheme),
      .address(.noHost),
      .address(.controlBytes), .address(.tooLong), .finish(.interrupted), .finish(.repeated), .finish(.eventAfter):
      break
    default: return
    }
    let timeline = FaultContractTests.timeline(of: cell).map { entry -> TimelineEntry in
      guard case .event(var event) = entry.what else { return entry }
      event.run = "run-0"
      return TimelineEntry(entry.time, .event(event))
    }
    #expect(cell.proof(in: timeline) == nil)
  }

  /// A timeline in which the fault did what it is there for.
  static func timeline(of cell: Cell) -> [TimelineEntry] {
    let (ms, name) = cell.completion
    switch cell.definition.proof {
    case .link: return ScriptedSession.timeline(Healthy.script)
    case .refused where cell.stage != .configureStream:
      return ScriptedSession.timeline(Healthy.with([ms: .refused(name)]))
    case .refused:
      return ScriptedSession.timeline([(0, .begin), (10, .ready), (20, .input(.startRefused("busy (-32001)")))])
    case .missingCompletion where cell.stage == .configureStream:
      return ScriptedSession.timeline([(0, .begin), (10, .ready), (60_000, .wait)])
    case .missingCompletion: return ScriptedSession.timeline(Healthy.before(ms) + [(200_000, .wait)])
    case .lateCompletion:
      return late(ms, by: .milliseconds(500))
    case .repeatedCompletion: return ScriptedSession.timeline(Healthy.with([ms + 5: .done(name)]))
    case .reorderedCompletion:
      let follower = Healthy.script.first { step in
        guard step.0 > ms, case .event = step.1 else { return false }
        return true
      }
      return ScriptedSession.timeline(Healthy.with([ms: nil, (follower?.0 ?? ms) + 5: .done(name)]))
    case .otherRun:
      let foreign = Step.event(name, ["success": true], run: "run-0", on: nil, error: 0)
      return ScriptedSession.timeline(Healthy.with([ms: foreign]))
    case .contradictedSuccess:
      return ScriptedSession.timeline(Healthy.with([11_900: .fact(.linkNotJoined, "nobody answers")]))
    case .address(let kind):
      let bad =
        switch kind {
        case .scheme: "http://192.168.43.1/live"
        case .noHost: "rtsp:///live"
        case .controlBytes: "rtsp://192.168.43.1/\u{7}"
        case .tooLong: "rtsp://192.168.43.1/" + String(repeating: "a", count: 1100)
        case .deadPort: "rtsp://192.168.43.1:1/live"
        case .wrongHost: "rtsp://192.168.43.9/live"
        }
      let joined = Fact(.linkJoined, by: .link, at: .zero, data: ["host": "192.168.43.1"])
      return [TimelineEntry(.zero, .fact(joined))]
        + ScriptedSession.timeline(
          Healthy.with([12_300: .address(bad), 12_500: .fact(.mediaUnreachable, "Connection refused")]))
    case .secondAddress:
      let second = cell.definition.verb == "changed" ? "rtsp://192.168.43.1:8555/live" : ScriptedSession.url
      return ScriptedSession.timeline(Healthy.with([12_400: .address(second)]))
    case .notReady:
      return ScriptedSession.timeline([(0, .begin), (10, .input(.preflightFailed("the device is not ready: worn")))])
    case .reboot:
      return ScriptedSession.timeline(
        Healthy.with([
          ms - 100: .fact(.rebooted, "boot b became c"), ms - 99: .input(.rebooted("boot b became c")),
        ]))
    case .finish(.interrupted):
      return ScriptedSession.timeline(Healthy.with([15_000: .finish(userStopped: false, error: true)]))
    case .finish(.missing): return ScriptedSession.timeline(Healthy.before(18_200) + [(30_000, .wait)])
    case .finish(.repeated): return ScriptedSession.timeline(Healthy.with([18_250: .finish(userStopped: true)]))
    case .finish(.eventAfter): return ScriptedSession.timeline(Healthy.with([18_250: .address()]))
    case .finish(.wrongUserStopped):
      return ScriptedSession.timeline(Healthy.with([18_200: .finish(userStopped: false)]))
    case .fact(let kind): return ScriptedSession.timeline(Healthy.with([15_000: .fact(kind), 18_400: .fact(kind)]))
    case .transport(let kind):
      let script = Healthy.with([15_000: .fact(kind), 18_150: .fact(kind)])
      return ScriptedSession.timeline(script).map(seenByTheControlLink)
    case .finding(let checks):
      let finding = Finding(
        check: checks.last ?? "", severity: .error, message: "seen", first: Evidence(frame: 12))
      return ScriptedSession.timeline(Healthy.script) + [TimelineEntry(.zero, .finding(finding))]
    case .exchange, .stream, .pictures: return FaultContractTests.measured(cell)
    case .controlLost:
      return ScriptedSession.timeline(
        Healthy.before(18_200) + [(15_000, .fact(.controlLost)), (15_001, .input(.controlLost(""))), (40_000, .wait)])
    case .damagedRecord:
      return [TimelineEntry(.zero, .note("damaged record on the control link: checksum"))]
        + ScriptedSession.timeline(Healthy.script)
    }
  }

  private static func seenByTheControlLink(_ entry: TimelineEntry) -> TimelineEntry {
    guard case .fact(var fact) = entry.what else { return entry }
    fact.witness = .control
    return TimelineEntry(entry.time, .fact(fact))
  }

  /// A request that never reached the server was not answered either, and that is nobody's fault.
  @Test func whatNeverReachedTheServerProvesNoSilence() {
    var count = 0
    for cell in Cell.all where cell.definition.proof == .exchange(.unanswered) {
      for case .fact(var fact) in FaultContractTests.measured(cell).map(\.what) {
        guard case .object(let members) = fact.data else { continue }
        for isExcused in [false, true] {
          fact.data = .object(members + [JSONValue.Member("excused", .bool(isExcused))])
          let timeline = ScriptedSession.timeline(Healthy.script) + [TimelineEntry(.zero, .fact(fact))]
          #expect((cell.proof(in: timeline) == nil) == isExcused, "\(cell)")
          count += 1
        }
      }
    }
    #expect(count >= 2)
  }

  /// A fact of the bus counts from the fault's stage on, where the control link itself saw it.
  @Test func aFactOfTheBusBeforeTheFaultsStageProvesNothing() throws {
    for cell in Cell.all where cell.stage == .connectHotspot {
      guard case .transport(let kind) = cell.definition.proof else { continue }
      func proof(_ ms: Int, _ witnessed: Bool) -> String? {
        let timeline = ScriptedSession.timeline(Healthy.with([ms: .fact(kind, "seen")]))
        return cell.proof(in: witnessed ? timeline.map(FaultContractTests.seenByTheControlLink) : timeline)
      }
      #expect(proof(5000, true) == nil, "\(cell)")
      #expect(proof(9000, true) == "\(kind.rawValue): seen", "\(cell)")
      #expect(proof(9000, false) == nil, "\(cell)")
    }
  }

  /// The healthy session, in which one completion comes so much later than asked, and everything after it as well.
  private static func late(_ ms: Int, by more: Duration) -> [TimelineEntry] {
    let began = [2000: 30, 3900: 2010, 7200: 3910, 11_800: 7200][ms] ?? 11_900
    let shift = began + Int((asked + more).nanoseconds / 1_000_000) - ms
    return ScriptedSession.timeline(Healthy.script.map { ($0 >= ms ? $0 + shift : $0, $1) })
  }

  /// Slow is not yet delayed: earlier than asked, far later, or unclaimed by a device that had accepted the fault.
  @Test(arguments: [
    (more: -251, claims: true, isProven: false), (-250, true, true), (0, true, true), (3000, true, true),
    (3001, true, false),
    (500, false, false),
  ])
  func aDelayIsProvenByItsTimeAndTheClaim(more: Int, claims: Bool, isProven: Bool) {
    let cells = Cell.all.filter { $0.definition.verb == "delay" && $0.stage == .configureHotspot }
    for cell in cells {
      var prover = cell.prover()
      prover.see(TimelineEntry(.zero, .faultArmed("\(cell)", id: "f1")))
      for id in claims ? ["f1"] : ["f2"] {
        let claim = DeviceEvent(
          received: .zero, sequence: 1, boot: "b", run: nil, name: "x.fault.fired", source: "fw",
          data: ["id": .string(id)])
        prover.see(TimelineEntry(.zero, .event(claim)))
      }
      for entry in FaultContractTests.late(2000, by: .milliseconds(more)) { prover.see(entry) }
      #expect((prover.proven != nil) == isProven)
    }
    #expect(cells.count == 1)
  }

  /// What capture and decoder measured of a session with this fault.
  static func measured(_ cell: Cell) -> [TimelineEntry] {
    func fact(_ kind: FactKind, _ data: JSONValue) -> TimelineEntry {
      TimelineEntry(.zero, .fact(Fact(kind, by: .capture, at: .zero, detail: "measured", data: data)))
    }
    var method: JSONValue = "DESCRIBE"
    if case .text(let name)? = cell.definition.standard("method") { method = .string(name) }
    let ok = fact(.rtspExchange, ["method": "SETUP", "status": 200, "authorized": true])
    switch cell.definition.proof {
    case .exchange(.status): return [fact(.rtspExchange, ["method": method, "status": 503])]
    case .exchange(.unanswered): return [fact(.rtspExchange, ["method": method, "closed-by": "client"])]
    case .exchange(.closed): return [fact(.rtspExchange, ["method": method, "closed-by": "server"])]
    case .exchange(.cut): return [fact(.rtspExchange, ["method": method, "status": 200, "cut": true])]
    case .exchange(.timeout): return [fact(.rtspExchange, ["method": "SETUP", "status": 200, "timeout": 4])]
    case .exchange(.body): return [fact(.rtspExchange, ["method": "DESCRIBE", "status": 200, "body": 70_000])]
    case .exchange(.challenge): return [fact(.rtspExchange, ["method": "SETUP", "status": 401, "digest": true]), ok]
    case .exchange(.stale):
      return [fact(.rtspExchange, ["method": "SETUP", "status": 401, "digest": true, "stale": true]), ok]
    case .stream(.padding): return [fact(.streamMeasured, ["video": true, "padded": 3])]
    case .stream(.bitRate): return [fact(.streamMeasured, ["video": true, "bit-rate": .number(120_000)])]
    case .stream(.earlyBye):
      return [TimelineEntry(.zero, .fact(Fact(.mediaEnded, by: .media, at: .zero)))]
        + [fact(.streamMeasured, ["video": true, "bye-lead": .number(0.01)])]
    case .pictures(.black): return [fact(.picturesMeasured, ["frames": 60, "black": 60])]
    case .pictures(.frozen): return [fact(.picturesMeasured, ["frames": 60, "still": 58])]
    case .pictures(.rate): return [fact(.picturesMeasured, ["frames": 60, "frame-rate": .number(5.1)])]
    default: return []
    }
  }

  /// What a session without any fault looks like to capture and decoder.
  static let healthyMeasures: [TimelineEntry] = {
    var facts = ["OPTIONS", "DESCRIBE", "SETUP", "PLAY", "TEARDOWN"].map { method in
      Fact(
        .rtspExchange, by: .capture, at: .zero,
        data: ["method": .string(method), "status": 200, "cut": false, "timeout": 60, "body": 500])
    }
    facts.append(
      Fact(
        .streamMeasured, by: .capture, at: .zero,
        data: ["video": true, "packets": 500, "padded": 0, "bit-rate": .number(1e6), "bye-lead": .number(0.001)]))
    facts.append(
      Fact(
        .picturesMeasured, by: .media, at: .zero,
        data: ["frames": 150, "black": 0, "still": 2, "frame-rate": .number(30)]))
    return facts.map { TimelineEntry(.zero, .fact($0)) }
  }()

  @Test(arguments: Cell.all) func aHealthySessionProvesNothing(cell: Cell) {
    let timeline = ScriptedSession.timeline(Healthy.script) + FaultContractTests.healthyMeasures
    #expect(cell.proof(in: timeline, asked: .seconds(20)) == nil)
  }

  /// The same deviation of another request, or by less than was asked for.
  @Test(arguments: Cell.all.filter { if case .exchange = $0.definition.proof { true } else { false } })
  func anotherExchangeProvesNothing(cell: Cell) {
    let timeline = FaultContractTests.measured(cell).map { entry -> TimelineEntry in
      guard case .fact(var fact) = entry.what else { return entry }
      let other: [JSONValue.Member] = (fact.data.members ?? []).map { member in
        switch member.key {
        case "method" where cell.definition.standard("method") != nil: .init("method", "GET_PARAMETER")
        case "timeout", "body": .init(member.key, 60)
        case "digest", "stale": .init(member.key, false)
        default: member
        }
      }
      fact.data = .object(other)
      return TimelineEntry(entry.time, .fact(fact))
    }
    #expect(cell.proof(in: timeline) == nil)
  }

  // MARK: Near misses

  struct Miss: Sendable, CustomStringConvertible {
    let what: String
    let verb: String
    let stage: StageID
    let script: @Sendable () -> [(Int, Step)]
    var description: String { "\(verb) at \(stage): \(what)" }
  }

  @Test(arguments: [
    Miss(what: "another stage was refused", verb: "refuse", stage: .enterLiveMode) {
      Healthy.with([2000: .refused("hotspotConfigureCompletion")])
    },
    Miss(what: "the start had no reply", verb: "busy", stage: .configureStream) {
      [(0, .begin), (10, .ready), (30_000, .wait)]
    },
    Miss(what: "the preflight failed for another reason", verb: "not-ready", stage: .preflight) {
      [(0, .begin), (10, .input(.preflightFailed("the device does not support RTSP live streaming")))]
    },
    Miss(what: "the stage never began", verb: "hang", stage: .enterLiveMode) {
      Healthy.before(2010) + [(60_000, .wait)]
    },
    Miss(what: "the stage was refused", verb: "hang", stage: .enterLiveMode) {
      Healthy.with([3900: .refused("enterLiveStreamingModeCompleted")])
    },
    Miss(what: "another stage hung", verb: "hang", stage: .configureHotspot) {
      Healthy.before(3900) + [(60_000, .wait)]
    },
    Miss(what: "the join was reported, and only its proof was missing", verb: "hang", stage: .connectHotspot) {
      Healthy.before(11_900) + [(120_000, .wait)]
    },
    Miss(what: "the join was disproven before anything was reported", verb: "lie", stage: .connectHotspot) {
      Healthy.with([9000: .fact(.linkNotJoined, "nobody answers")])
    },
    Miss(what: "the join failed honestly", verb: "lie", stage: .connectHotspot) {
      Healthy.with([11_800: .refused("deviceHotspotConnectCompletion"), 11_900: .fact(.linkNotJoined, "nobody")])
    },
    Miss(what: "the address breaks another rule", verb: "bad-scheme", stage: .receiveAddress) {
      Healthy.with([12_300: .address("rtsp:///live")])
    },
    Miss(what: "the address breaks another rule", verb: "no-host", stage: .receiveAddress) {
      Healthy.with([12_300: .address("rtsp://h\u{7}/")])
    },
    Miss(what: "the media failed for another reason", verb: "dead-port", stage: .receiveAddress) {
      Healthy.with([12_500: .fact(.mediaFailed, "404 Not Found")])
    },
    Miss(what: "the session finished as an interruption after the stop", verb: "interrupt", stage: .running) {
      Healthy.with([18_200: .finish(userStopped: false, error: true)])
    },
    Miss(what: "the session finished when the harness cleaned up", verb: "interrupt", stage: .running) {
      Healthy.before(3900) + [
        (3900, .refused("enterLiveStreamingModeCompleted")), (4000, .finish(userStopped: false)),
      ]
    },
    Miss(what: "the session was interrupted", verb: "wrong-user-stopped", stage: .finish) {
      Healthy.with([15_000: .finish(userStopped: false, error: true), 18_200: nil])
    },
    Miss(what: "the finish answered the clean-up", verb: "wrong-user-stopped", stage: .finish) {
      Healthy.before(18_200) + [(28_000, .finish(userStopped: false))]
    },
    Miss(what: "the finish came, and said something else", verb: "ignore-stop", stage: .finish) {
      Healthy.with([18_200: .finish(userStopped: false)])
    },
    Miss(what: "the session failed before any stop", verb: "no-finish", stage: .finish) {
      Healthy.before(12_900) + [(120_000, .wait)]
    },
    Miss(what: "only a claim followed the finish", verb: "events-after-finish", stage: .finish) {
      Healthy.with([18_250: .event("x.battery")])
    },
    Miss(what: "the wire was busy", verb: "leak-port", stage: .cleanUp) { Healthy.with([18_400: .fact(.wireBusy)]) },
    Miss(what: "the port stayed open", verb: "leak-hotspot", stage: .cleanUp) {
      Healthy.with([18_400: .fact(.portStillOpen)])
    },
    Miss(what: "the media ended", verb: "stall", stage: .running) { Healthy.with([15_000: .fact(.mediaEnded)]) },
    Miss(what: "the hotspot was lost", verb: "heartbeat-lost", stage: .running) {
      Healthy.with([15_000: .fact(.linkLost)])
    },
  ])
  func nearMissesProveNothing(miss: Miss) throws {
    let definition = try #require(FaultCatalog.definition(miss.verb, at: miss.stage, in: .rtspHotspot))
    let cell = Cell(definition: definition, stage: miss.stage)
    #expect(cell.proof(in: ScriptedSession.timeline(miss.script())) == nil)
  }

  @Test func aDelayIsProvenOnlyFromItsOwnLength() throws {
    let definition = try #require(FaultCatalog.definition("delay", at: .enterLiveMode, in: .rtspHotspot))
    let cell = Cell(definition: definition, stage: .enterLiveMode)
    let timeline = ScriptedSession.timeline(Healthy.script)
    // The healthy stage takes 1.89 s.
    #expect(cell.proof(in: timeline, asked: .milliseconds(1890)) != nil)
    #expect(cell.proof(in: timeline, asked: .milliseconds(2101)) == nil)
    // Without its argument there is nothing to compare with.
    var prover = FaultProver(
      FaultRequest(at: .enterLiveMode, do: "delay"), definition, flow: .rtspHotspot, run: ScriptedSession.run)
    for entry in timeline { prover.see(entry) }
    #expect(prover.proven == nil)
  }

  @Test func aFindingOfAnotherCheckProvesNothing() {
    for cell in Cell.all {
      guard case .finding = cell.definition.proof else { continue }
      let other = Finding(check: "rtp.something-else", severity: .error, message: "seen")
      #expect(cell.proof(in: [TimelineEntry(.zero, .finding(other))]) == nil, "\(cell)")
    }
  }

  /// The device goes on, and its session ends before the limit of the stage whose completion was lost.
  @Test func aLostCompletionIsProvenWhereTheSessionEndsFirst() throws {
    let definition = try #require(FaultCatalog.definition("drop", at: .configureHotspot, in: .rtspHotspot))
    let cell = Cell(definition: definition, stage: .configureHotspot)
    #expect(cell.proof(in: ScriptedSession.timeline(Healthy.with([2000: nil]))) != nil)
  }
}
