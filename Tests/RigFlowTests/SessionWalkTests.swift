import RigFlow
import RigModel
import Testing

/// A small generator with a seed, so that every run walks alike.
private struct Dice: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

/// Whatever comes, in whatever order: what must always hold of a session.
@Suite struct SessionWalkTests {
  private static let addresses = [
    ScriptedSession.url, "rtsp://192.168.43.1:8554/other", "RTSP://[fe80::1]/x", "http://h/", "rtsp://", "rtsp://h:0/",
    "",
  ]

  private func step(_ dice: inout Dice) -> Step {
    let names = Flow.rtspHotspot.events + ["x.fault.fired", "somethingNew"]
    switch Int.random(in: 0..<100, using: &dice) {
    case 0..<55:
      let name = names.randomElement(using: &dice) ?? ""
      let data: JSONValue = [
        "success": Int.random(in: 0..<20, using: &dice) == 0 ? nil : .bool(Int.random(in: 0..<12, using: &dice) > 0),
        "userStopped": .bool(Bool.random(using: &dice)), "ssid": "s",
        "address": .string(SessionWalkTests.addresses.randomElement(using: &dice) ?? ""),
      ]
      let run: String? = [ScriptedSession.run, ScriptedSession.run, "run-0", nil].randomElement(using: &dice) ?? nil
      let on: Int? = Bool.random(using: &dice) ? Int.random(in: -20_000...200_000, using: &dice) : nil
      return .event(name, data, run: run, on: on, error: Int.random(in: 0...500, using: &dice))
    case 55..<75: return .fact(FactKind.allCases.randomElement(using: &dice) ?? .keyFrame, "d")
    case 75..<79: return .begin
    case 79..<83: return .ready
    case 83..<87: return .accepted
    case 87: return .input(.startRefused("no"))
    case 88: return .input(.preflightFailed("no"))
    case 89..<91: return .input(.controlLost("gone"))
    case 91..<94: return .input(.controlBack)
    case 94: return Int.random(in: 0..<10, using: &dice) == 0 ? .input(.rebooted("b")) : .wait
    case 95: return Int.random(in: 0..<10, using: &dice) == 0 ? .input(.abort(.rig, "r")) : .wait
    case 96: return .input(.tick)
    default: return .wait
    }
  }

  /// Half of the steps follow the healthy script, so that late stages are walked, too.
  private func walk(seed: UInt64) -> (session: ScriptedSession, steps: Int) {
    var dice = Dice(state: seed)
    var s = ScriptedSession(playFor: .milliseconds(Int.random(in: 0...4000, using: &dice)))
    var healthy = Healthy.script.map(\.1)[...]
    let noise = Int.random(in: 1...6, using: &dice)
    var ms = 0
    var steps = 0
    while !s.session.isOver, steps < 400 {
      steps += 1
      ms += Int.random(in: 0...(Int.random(in: 0..<10, using: &dice) == 0 ? 8000 : 300), using: &dice)
      let follow = Int.random(in: 0..<6, using: &dice) >= noise || steps == 1
      s.play(follow ? healthy.popFirst() ?? .wait : step(&dice), at: ms)
      s.advance(to: ms)
      checkDeadline(s, ms, seed)
    }
    s.advance(to: ms + 1_000_000)
    return (s, steps)
  }

  private func checkDeadline(_ s: ScriptedSession, _ ms: Int, _ seed: UInt64) {
    guard let deadline = s.session.nextDeadline else { return }
    if deadline <= .zero + .milliseconds(ms) {
      Issue.record("seed \(seed): the deadline \(deadline) is past at \(ms) ms")
    }
  }

  @Test func whateverComesTheInvariantsHold() {
    var steps = 0
    var reached: Set<Gate> = []
    var failures: Set<String> = []
    for seed in 0..<UInt64(1500) {
      let (s, count) = walk(seed: seed)
      steps += count
      if let gate = s.session.reached { reached.insert(gate) }
      if let point = s.failurePoint { failures.insert(point.name) }
      if let problem = broken(s) { Issue.record("seed \(seed): \(problem)") }
    }
    #expect(steps > 30_000)
    // The walk is worth something only if it gets everywhere.
    #expect(reached == Set(Gate.allCases))
    let missed = Set(Flow.rtspHotspot.stages.map(\.id.rawValue)).subtracting(failures)
    #expect(missed.isEmpty, "no walk failed at \(missed.sorted())")
    #expect(failures.isSuperset(of: ["control-link", "rig"]))
  }

  private func broken(_ s: ScriptedSession) -> String? {
    let actions = s.actions
    guard s.session.isOver || s.session.nextDeadline == nil else { return "it never ends" }
    if s.session.isOver {
      if s.count(.finished) != 1 || actions.last != .finished { return "finished is not once and last" }
    }
    var failed = false
    var over = false
    var begun: Set<StageID> = []
    var ended: Set<StageID> = []
    var opened = 0
    var gates: [Gate] = []
    for (time, action) in s.log {
      switch action {
      case .stageBegan(let id, let deadline):
        if !begun.insert(id).inserted { return "\(id) began twice" }
        if failed || over, id != .cleanUp { return "\(id) began after the end" }
        if let deadline, deadline < time { return "\(id) began with a deadline in the past" }
      case .stageEnded(let id, let outcome, _):
        if !ended.insert(id).inserted { return "\(id) ended twice" }
        if outcome == .failed { failed = true }
        if over, outcome == .passed, id != .cleanUp { return "\(id) passed after the end" }
      case .openMedia(let url):
        opened += 1
        if opened > 1 { return "two streams were opened" }
        if case .failure = AddressRule.check(url) { return "an invalid address was opened" }
        if url != s.session.openedAddress { return "another address than the received one was opened" }
        if failed || over { return "a stream was opened after the end" }
      case .closeMedia: over = true
      case .gate(let gate): gates.append(gate)
      case .sendStart: if s.count(.sendStart) > 1 { return "two starts" }
      default: break
      }
    }
    let order = s.session.flow.gateOrder
    let positions = gates.compactMap { order.firstIndex(of: $0) }
    if Set(positions).count != positions.count { return "a gate was reached twice" }
    if gates.contains(.active), !gates.contains(.media) || !gates.contains(.address) { return "active without media" }
    if gates.contains(.ended),
      s.session.failure.map({ $0.point != FailurePoint(.cleanUp) && $0.blame != .rig }) ?? false
    {
      return "ended as a success and failed at \(s.session.failure?.point.name ?? "")"
    }
    return nil
  }
}
