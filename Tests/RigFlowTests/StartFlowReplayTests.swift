import Foundation
import RigChecks
import RigFlow
import RigModel
import Testing

/// Sequences of real start flows that went wrong, or looked as if, each with its right verdict and failure point.
///
/// `ours` stands where this harness blames another point on purpose, with its reason (decision record 0011): the stated
/// expectation stays beside it.
struct StartFlowCase: Sendable, CustomStringConvertible {
  let json: JSONValue
  var id: String { json["id"]?.string ?? "" }
  var description: String { "\(id): \(json["summary"]?.string ?? "")" }
  var verdict: String { json["expect"]?["verdict"]?.string ?? "" }
  var point: String? { json["expect"]?["point"]?.string }

  static let all: [StartFlowCase] = {
    guard let url = Bundle.module.url(forResource: "Fixtures/start-flow", withExtension: "jsonl"),
      let text = try? String(contentsOf: url, encoding: .utf8)
    else { return [] }
    return text.split(separator: "\n").compactMap { try? JSONParser.parse(String($0)) }.map { StartFlowCase(json: $0) }
  }()
}

/// Plays one case through session, flow checks and judge, as a run does.
private struct Replay {
  private(set) var script: ScriptedSession
  private var checks: FlowChecks
  private let plan: JSONValue
  private var seen: Set<String> = []
  private(set) var joins: [String] = []

  init(_ item: StartFlowCase) {
    plan = item.json["plan"] ?? [:]
    var limits: [String: Duration] = [:]
    for member in plan["limits"]?.members ?? [] { limits[member.key] = .seconds(member.value.integer ?? 0) }
    let steps = (item.json["steps"]?.array ?? []).compactMap(\.array)
    // The plan's stop comes at its time: media time counts from `active`.
    let active = steps.last {
      $0[1].string == "fact" && $0[2].string == "media.key-frame"
        || $0[1].string == "event" && $0[2].string == "sessionStartCompletion"
    }?[0].integer
    let stop = plan["stop"]?.integer ?? 3_600_000
    script = ScriptedSession(
      limits: limits, playFor: .milliseconds(stop - (active ?? 0)),
      agentIsSubject: plan["agentUnderTest"]?.bool ?? false)
    checks = FlowChecks(FlowContext(flow: .rtspHotspot, run: ScriptedSession.run))
    run(steps)
  }

  private mutating func run(_ steps: [[JSONValue]]) {
    play(.begin, at: 0)
    for step in steps {
      let ms = Int(step[0].integer ?? 0)
      let text = step.count > 2 ? step[2].string ?? "" : ""
      switch step[1].string {
      case "start":
        play(.ready, at: ms)
        play(.accepted, at: ms)
      case "rejected":
        play(.ready, at: ms)
        play(.input(.startRefused(text)), at: ms)
      case "not-ready": play(.input(.preflightFailed(text)), at: ms)
      case "lost": play(.input(.controlLost(text)), at: ms)
      case "event":
        if !text.hasPrefix("x.") { seen.insert(text) }
        play(.event(text, step[3]), at: ms)
      case "fact":
        guard let kind = FactKind(rawValue: text) else {
          Issue.record("no fact \(text)")
          continue
        }
        play(.fact(kind, step[3].string ?? ""), at: ms)
      default: play(.wait, at: ms)
      }
    }
    end()
  }

  /// Lets the session come to its end; what the case does not say of clean-up is clean.
  private mutating func end() {
    var ms = Int(script.now.nanoseconds / 1_000_000)
    while !script.session.isCleaning, !script.session.isOver, let next = script.session.nextDeadline {
      ms = Int(next.nanoseconds / 1_000_000)
      play(.wait, at: ms)
    }
    for kind in [FactKind.portClosed, .wireQuiet, .hotspotGone] { play(.fact(kind), at: ms + 1) }
    play(.wait, at: ms + 100_000)
  }

  private mutating func play(_ step: Step, at ms: Int) {
    if case .event("connectDeviceHotspotStarting", let data, _, _, _) = step, let ssid = data["ssid"]?.string {
      joins.append(ssid)
    }
    for entry in script.entries(of: step, at: ms) { checks.see(entry) }
  }

  mutating func rule() -> (ruling: Judge.Ruling, findings: [Finding]) {
    let findings = checks.finish()
    var groups = [CheckGroupRecord(group: "flow", judged: [], findings: findings)]
    if let hole = plan["hole"]?.string {
      groups.append(CheckGroupRecord(group: "rtp", judged: ["rtp.seq"], inconclusive: hole, findings: []))
    }
    let ruling = Judge.rule(
      Judge.Evidence(
        expectation: Expectation(failed: plan["failed"]?.string.map { FailurePoint(name: $0) }), flow: .rtspHotspot,
        failure: script.session.failure, reached: script.session.reached, stages: script.session.records,
        doubts: script.session.doubts, groups: groups, eventsSeen: seen,
        agentUnderTest: plan["agentUnderTest"]?.bool ?? false))
    return (ruling, findings)
  }
}

@Suite struct StartFlowReplayTests {
  @Test func theCorpusIsThere() {
    #expect(StartFlowCase.all.count == 45)
    #expect(Set(StartFlowCase.all.map(\.id)).count == 45)
    // What is blamed otherwise than stated is a decision, never a gap.
    let differing = StartFlowCase.all.filter { $0.json["ours"] != nil }
    #expect(differing.map(\.id) == ["H7-13", "H7-47"])
    #expect(differing.allSatisfy { $0.json["ours"]?["why"]?.string?.hasPrefix("decision 0011: ") == true })
  }

  @Test(arguments: StartFlowCase.all) func asStated(item: StartFlowCase) {
    var replay = Replay(item)
    let (ruling, findings) = replay.rule()
    // A failure that the plan asked for has its point, and is none.
    let isExpected = ruling.verdict == .pass && ruling.failurePoint?.name == item.json["plan"]?["failed"]?.string
    let got = (ruling.verdict.rawValue, isExpected ? nil : ruling.failurePoint?.name)
    #expect(replay.script.session.isOver)
    if let ours = item.json["ours"] {
      #expect(got == (ours["verdict"]?.string ?? "", ours["point"]?.string), "\(ruling.reason)")
      #expect(got != (item.verdict, item.point), "as stated after all: \(ours["why"]?.string ?? "")")
    } else {
      #expect(got == (item.verdict, item.point), "\(ruling.reason)")
    }
    let found = Set(findings.filter { $0.severity == .error }.map(\.check))
    #expect(found.isSuperset(of: item.json["finds"]?.array?.compactMap(\.string) ?? []), "found \(found.sorted())")
    // A good session trips nothing, and the network is joined by its exact name.
    if item.verdict == "pass", item.json["plan"]?["failed"] == nil { #expect(found.isEmpty, "\(findings)") }
    for case .join(let ssid, _) in replay.script.actions { #expect(replay.joins.contains(ssid)) }
  }
}
