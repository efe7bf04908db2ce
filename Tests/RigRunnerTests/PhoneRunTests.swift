import RigDevice
import RigFlow
import RigLoop
import RigModel
import RigReport
import RigWire
import Testing

@testable import RigChecks
@testable import RigRunner

/// A phone whose capture says what a test wants.
// Unchecked: touched only on the loop's thread.
private final class ScriptedPhone: PhoneWitness, @unchecked Sendable {
  enum Sees {
    case pictures
    case noKeyFrame
    case error(String)
    /// A pause that begins so long after the address.
    case pause(Duration)
    case nothing(String)
  }

  let loop: Loop
  let sees: Sees
  /// Half the width of what is known of the clock.
  var uncertainty = Duration.zero
  /// The first key frame, after the address.
  var key = Duration.milliseconds(400)
  /// The capture breaks off so long after the address.
  var reach: Duration?
  var isMute = false
  var problem: String?
  private(set) var begins = 0
  private(set) var questions: [PhoneSession] = []
  private(set) var marks: [String] = []

  init(_ loop: Loop, _ sees: Sees) {
    self.loop = loop
    self.sees = sees
  }

  func begin() async throws {
    begins += 1
    if isMute { throw DriverError("no recorder") }
  }

  func fetch(_ session: PhoneSession, keyFrameDue: HostTime, gap: Duration) async throws -> PhoneTestimony {
    questions.append(session)
    if case .nothing(let reason) = sees { throw DriverError(reason) }
    let offset: Int64 = 1_000_000
    let opening = RTSPOpening(
      url: session.address, method: "OPTIONS", time: session.received.nanoseconds + offset, frame: 1,
      client: Endpoint(try #require(IPAddress("10.0.0.2")), 4000),
      server: Endpoint(try #require(IPAddress("10.0.0.1")), 554))
    let clock = PhoneClock(
      offset: (offset - uncertainty.nanoseconds)...(offset + uncertainty.nanoseconds), basis: .requests,
      openings: [opening], window: 0...1, deviation: 0)
    func at(_ time: Duration) -> Int64 { (session.received + time).nanoseconds + clock.best }
    var pictures = PlayedPictures()
    let end = (session.ended - session.received)
    if case .noKeyFrame = sees {
    } else if case .error = sees {
    } else {
      var time = key
      while time < end {
        var isSilent = false
        if case .pause(let from) = sees { isSilent = time > from }
        if !isSilent {
          pictures.see(at(time), isKey: true, width: 640, height: 360, limit: gap.nanoseconds)
        }
        time += .milliseconds(100)
      }
    }
    var analyzer = CaptureAnalyzer(AnalysisContext(captureDropped: 0))
    var result = analyzer.finish()
    if case .error(let status) = sees {
      result.exchanges = [try exchange("DESCRIBE", Int(status) ?? 0, frame: 5, time: at(.milliseconds(300)))]
    }
    result.exchanges.insert(try exchange("OPTIONS", 200, frame: 2, time: at(.milliseconds(200))), at: 0)
    let facts = PhoneFacts(
      clock, result, pictures, reach: at(reach ?? end + .seconds(1)), ended: session.ended, keyFrameDue: keyFrameDue,
      gap: gap)
    return PhoneTestimony(
      clock: clock, capture: CaptureOutcome(result: result, packets: 100, dropped: 0, problem: problem), facts: facts,
      summary: nil, cut: nil)
  }

  func mark(_ marks: [(time: HostTime, text: String)]) async { self.marks += marks.map(\.text) }
}

/// An exchange as the analysis of a capture would have it.
private func exchange(_ method: String, _ status: Int, frame: Int, time: Int64) throws -> RTSPExchange {
  let request = RTSPRequest(
    connection: 0, message: RTSPMessage(.request(method: method, url: "*")), deviations: [],
    place: WirePlace(frame: frame, time: time), fromClient: true)
  var exchange = try #require(RTSPExchange(.unanswered(request, .captureEnded)))
  exchange.status = status
  return exchange
}

/// The simulated link of a bench on which the harness has none.
private struct NoLink: Link {
  let inner: any Link
  var name: String { "none" }
  var isWitness: Bool { false }
  func probe(_ target: Hello.Probe?) async -> Fact {
    Issue.record("a link was asked that is none")
    return await inner.probe(target)
  }
  func probeGone(_ target: Hello.Probe?) async -> Fact { await inner.probeGone(target) }
  func probePort(host: String, port: UInt16) async -> Fact { await inner.probePort(host: host, port: port) }
}

@Suite struct PhoneRunTests {
  // Unchecked: touched only on the loop's thread.
  private final class Seen: @unchecked Sendable { var phone: ScriptedPhone? }

  private func run(
    _ plan: Plan, _ sees: ScriptedPhone.Sees, seesJoin: Bool = false,
    _ arrange: @escaping @Sendable (ScriptedPhone) -> Void = { _ in }
  ) throws -> (record: RunRecord, log: RunLog, phone: ScriptedPhone) {
    let seen = Seen()
    let (log, _, _) = try Cases.run([Cases.scheduled(plan)]) { bench, _ in
      let phone = ScriptedPhone(bench.loop, sees)
      arrange(phone)
      seen.phone = phone
      bench.phone = phone
      if !seesJoin { bench.wrapLink = { NoLink(inner: $0) } }
    }
    return (try #require(log.records.first), log, try #require(seen.phone))
  }

  private func outcome(_ record: RunRecord, _ stage: StageID) -> StageOutcome? {
    record.stages.first { $0.id == stage.rawValue }?.outcome
  }

  @Test(arguments: [true, false]) func aSessionThatThePhoneSawPasses(_ seesJoin: Bool) throws {
    let (record, log, phone) = try run(Cases.plan(), .pictures, seesJoin: seesJoin)
    #expect(record.verdict == .pass, "\(record.reason)")
    #expect(record.reached == .ended)
    #expect(phone.begins == 1 && phone.questions.count == 1)
    #expect(record.properties.contains { $0.name == "player" && $0.value == "phone" })
    #expect(record.properties.contains { $0.name == "phone.clock" && $0.value.contains("known to ±") })
    let entries = log.entries("case")
    // The harness opened nothing.
    #expect(!entries.contains { if case .action(let text) = $0 { text.hasPrefix("open ") } else { false } })
    #expect(
      entries.contains {
        if case .fact(let fact) = $0 { fact.kind == .keyFrame && fact.witness == .phone } else { false }
      })
    #expect(entries.filter { $0 == .gate(.active) }.count == 1)
    #expect(phone.marks.contains("stage play ok") && phone.marks.contains("stage running ok"))
    #expect(phone.marks.filter { $0 == "stage play began" }.count == 1)
  }

  /// A gate that rests on the agent's word alone is on no timeline before the phone is heard.
  @Test func nothingIsToldBeforeItIsKnown() throws {
    let (_, log, _) = try run(Cases.plan(), .pictures)
    let entries = log.entries("case")
    let heard = try #require(
      entries.firstIndex { if case .note(let text) = $0 { text.hasPrefix("the phone's clock") } else { false } })
    for entry in entries[..<heard] {
      switch entry {
      case .gate(let gate): #expect(gate == .ready || gate == .accepted)
      case .stageEnded(let stage, .passed, _):
        #expect(![.connectHotspot, .play, .startSession, .running].contains(stage))
      default: break
      }
    }
  }

  @Test func aSessionWithoutAKeyFrameFailsAtPlay() throws {
    let (record, _, _) = try run(Cases.plan(), .noKeyFrame)
    #expect(record.verdict == .fail)
    #expect(record.failurePoint == FailurePoint(.play))
    #expect(record.reason.contains("without a decoded key frame"))
    #expect(record.reached == .address)
    let expected = try run(Cases.plan(failed: FailurePoint(.play), reached: .address), .noKeyFrame).record
    #expect(expected.verdict == .pass, "\(expected.reason)")
  }

  @Test func anErrorOfTheServerFailsAtPlay() throws {
    let (record, _, _) = try run(Cases.plan(), .error("404"))
    #expect(record.failurePoint == FailurePoint(.play))
    #expect(record.reason.contains("DESCRIBE was answered 404 (frame 5)"), "\(record.reason)")
  }

  @Test func aPauseFailsAtRunning() throws {
    let (record, _, _) = try run(Cases.plan(playFor: .seconds(5)), .pause(.seconds(1)))
    #expect(record.failurePoint == FailurePoint(.running))
    #expect(record.reason.contains("no media for 2 s"), "\(record.reason)")
    #expect(record.reached == .active)
  }

  @Test(arguments: [nil, FailurePoint(.running), FailurePoint(.play)])
  func withoutACaptureNothingPasses(_ expected: FailurePoint?) throws {
    let plan = Cases.plan(failed: expected)
    let (record, log, _) = try run(plan, .nothing("the command left no file; expected the phone's capture"))
    #expect(record.verdict == .inconclusive)
    #expect(record.reason.contains("the command left no file; expected the phone's capture"), "\(record.reason)")
    #expect(record.reached == .accepted)
    #expect(outcome(record, .play) == .inconclusive)
    #expect(!log.entries("case").contains(.gate(.media)) && !log.entries("case").contains(.gate(.active)))
  }

  @Test func aFaultOfTheWireIsNotDisprovenWithoutACapture() throws {
    let fault = FaultRequest(at: .play, do: "no-key-frame")
    let (record, _, _) = try run(Cases.plan(faults: [fault]), .nothing("no file"))
    #expect(record.verdict == .inconclusive, "\(record.reason)")
  }

  @Test func aFailureThatNeedsNoCaptureStands() throws {
    let fault = FaultRequest(at: .enterLiveMode, do: "hang")
    let limits: [String: Duration] = ["enter-live-mode": .seconds(1)]
    let plan = Cases.plan(faults: [fault], failed: FailurePoint(.enterLiveMode), reached: .accepted, limits: limits)
    let (record, _, phone) = try run(plan, .nothing("no file"))
    #expect(record.verdict == .pass, "\(record.reason)")
    // Nothing was to be played, so nothing is fetched.
    #expect(phone.questions.isEmpty)
    let finish = FaultRequest(at: .finish, do: "no-finish")
    let late = try run(Cases.plan(faults: [finish]), .nothing("no file")).record
    #expect(late.verdict == .fail && late.failurePoint == FailurePoint(.finish), "\(late.reason)")
  }

  @Test func faultsAreProvenAsWithTheHarness() throws {
    for (stage, verb, failed) in [
      (StageID.running, "interrupt", StageID.finish), (.startSession, "refuse", .startSession),
      (.finish, "finish-twice", nil),
    ] as [(StageID, String, StageID?)] {
      let plan = Cases.plan(
        faults: [FaultRequest(at: stage, do: verb)], failed: failed.map { FailurePoint($0) } ?? .protocolOrder)
      let (record, _, _) = try run(plan, .pictures)
      #expect(record.faults.allSatisfy { $0.fired }, "\(verb): \(record.faults)")
      #expect(record.verdict == .pass, "\(verb): \(record.reason)")
    }
  }

  @Test func aClockThatIsNotKnownWellEnoughDecidesNothing() throws {
    // The key frame came 4.8 s after the address, give or take half a second: the limit is 5 s.
    let (record, _, _) = try run(Cases.plan(), .pictures) {
      $0.key = .milliseconds(4_800)
      $0.uncertainty = .milliseconds(500)
    }
    #expect(record.verdict == .inconclusive)
    #expect(record.reason.contains("the phone's clock is known to ±"), "\(record.reason)")
    let exact = try run(Cases.plan(), .pictures) { $0.key = .milliseconds(4_800) }.record
    #expect(exact.verdict == .pass, "\(exact.reason)")
  }

  @Test func aCaptureThatBreaksOffPassesNothing() throws {
    let (record, _, _) = try run(Cases.plan(), .pictures) { $0.reach = .seconds(2) }
    #expect(record.verdict == .inconclusive)
    #expect(record.reason.contains("does not hold the whole session: it ends"), "\(record.reason)")
    // What it shows before it breaks off counts.
    let error = try run(Cases.plan(), .error("503")) { $0.reach = .seconds(1) }.record
    #expect(error.verdict == .fail && error.failurePoint == FailurePoint(.play), "\(error.reason)")
    let none = try run(Cases.plan(), .noKeyFrame) { $0.reach = .seconds(1) }.record
    #expect(none.verdict == .inconclusive, "\(none.reason)")
  }

  @Test func aRecorderThatDoesNotStartIsNamed() throws {
    let without = try run(Cases.plan(), .nothing("no file")) { $0.isMute = true }.record
    #expect(without.reason.hasSuffix("no file; the phone's recorder was not started: no recorder"), "\(without.reason)")
    // Where the capture holds the session all the same, it was not needed.
    #expect(try run(Cases.plan(), .pictures) { $0.isMute = true }.record.verdict == .pass)
  }

  @Test func aHelperThatBreaksIsTheRigsFailure() throws {
    let (record, _, _) = try run(Cases.plan(), .noKeyFrame) { $0.problem = "the media helper died" }
    #expect(record.verdict == .error && record.reason.contains("the media helper died"), "\(record.reason)")
  }

  @Test func theJournalHoldsThePhonesFacts() throws {
    let (_, log, _) = try run(Cases.plan(), .pictures)
    let line = try #require(log.journal.first { $0.contains("media.key-frame") })
    #expect(line.contains("\"phone\""))
    guard case .event = JournalLine.decode(line) else {
      Issue.record("not read again: \(line)")
      return
    }
  }
}
