import RigFlow
import RigModel

/// Makes sequences from seeds: a healthy session, and then whatever may go wrong with it.
public struct SequenceGenerator: Sendable {
  private let seed: UInt64

  public init(seed: UInt64) { self.seed = seed }

  /// The sequence with this number: the same for the same seed, whatever was made before it.
  public func sequence(_ number: Int) -> SessionSequence {
    var dice = Dice(seed: seed &* 0x2545_F491_4F6C_DD1D &+ UInt64(truncatingIfNeeded: number))
    var base = HealthySequence(&dice)
    if dice.once(in: 3) { addClock(&base, &dice) }
    // One in twelve deviates in nothing.
    let deviations = dice.once(in: 12) ? 0 : dice.once(in: 4) ? dice.roll(2...8) : dice.roll(1...2)
    for _ in 0..<deviations { deviate(&base, &dice) }
    return base.sequence(isHealthy: deviations == 0)
  }

  /// The device's clock is known: each event happened a little before it came.
  private func addClock(_ base: inout HealthySequence, _ dice: inout Dice) {
    for i in base.moments.indices {
      guard case .event(var event) = base.moments[i].what else { continue }
      event.lag = dice.roll(0...40)
      event.error = dice.roll(0...20)
      base.moments[i].what = .event(event)
    }
  }

  private static let addresses = [
    "rtsp://192.168.43.1:8554/other", "RTSP://[fe80::1]/x", "http://192.168.43.1/live", "rtsp:///live", "rtsp://h:0/",
    "rtsp://255.255.255.255:8554/", "rtsp://h\u{7}/live", "", HealthySequence.url,
  ]

  private func deviate(_ base: inout HealthySequence, _ dice: inout Dice) {
    guard !base.moments.isEmpty else { return insert(&base, &dice) }
    let i = dice.roll(0...(base.moments.count - 1))
    switch dice.roll(0...19) {
    case 0...2: base.moments.remove(at: i)
    case 3...4:
      let copy = base.moments[i].what
      base.moments.insert((base.moments[i].at + dice.roll(0...6000), copy), at: i + 1)
    case 5: base.moments[i].at += dice.roll(0...4000) - 2000
    case 6: delay(&base, from: i, by: dice.roll(1...120_000))
    case 7...10: changeEvent(&base, at: i, &dice)
    case 11: base.moments.removeSubrange(i...)
    case 12: changeReply(&base, &dice)
    case 13: useClock(&base, at: i, &dice)
    default: insert(&base, &dice)
    }
  }

  /// Everything from there on comes later.
  private func delay(_ base: inout HealthySequence, from i: Int, by ms: Int) {
    for j in i..<base.moments.count { base.moments[j].at += ms }
  }

  /// A stage that took about as long as its limit: on the device's clock, or in time there and late on receipt.
  private func useClock(_ base: inout HealthySequence, at from: Int, _ dice: inout Dice) {
    for i in from..<base.moments.count where i > 0 {
      guard case .event(var end) = base.moments[i].what, case .event(var start) = base.moments[i - 1].what,
        let stage = Flow.rtspHotspot.stages.first(where: { $0.begins == .event(start.name) }), let limit = stage.limit
      else { continue }
      let milliseconds = Int(limit.nanoseconds / 1_000_000)
      start.error = dice.roll(0...200)
      end.error = dice.roll(0...200)
      start.lag = 0
      end.lag = 0
      let took = base.moments[i].at - base.moments[i - 1].at
      if dice.once(in: 2) {
        // The beginning was held up on the control link.
        start.lag = max(0, milliseconds - took + dice.roll(0...1000) - 500)
      } else {
        // The completion was.
        let late = dice.roll(1...3000)
        delay(&base, from: i, by: max(0, milliseconds - took + late))
        end.lag = late + dice.roll(0...1000) - 500
        end.lag = max(0, end.lag ?? 0)
      }
      base.moments[i - 1].what = .event(start)
      base.moments[i].what = .event(end)
      return
    }
  }

  private func changeReply(_ base: inout HealthySequence, _ dice: inout Dice) {
    guard let i = base.moments.firstIndex(where: { $0.what == .preflightPassed || $0.what == .startAccepted }) else {
      return
    }
    if base.moments[i].what == .preflightPassed, dice.once(in: 2), i + 1 < base.moments.count {
      base.moments[i + 1].what = .startRefused
    } else {
      base.moments[i].what = base.moments[i].what == .startAccepted ? .startRefused : .preflightFailed
    }
  }

  /// One of the events says something else.
  private func changeEvent(_ base: inout HealthySequence, at from: Int, _ dice: inout Dice) {
    let events = base.moments.indices.filter { if case .event = base.moments[$0].what { true } else { false } }
    guard let i = events.first(where: { $0 >= from }) ?? events.last, case .event(var event) = base.moments[i].what
    else { return }
    switch dice.roll(0...6) {
    case 0: event.run = dice.once(in: 3) ? .none : .other
    case 1:
      var twin = event
      twin.run = .other
      base.moments.insert((base.moments[i].at, .event(twin)), at: i)
      return
    case 2:
      event.lag = dice.roll(0...40_000)
      event.error = dice.roll(0...3000)
    default:
      switch event.name {
      case "rtspAddressReceived": event.data = ["address": .string(dice.pick(SequenceGenerator.addresses))]
      case "sessionFinish":
        event.data = [
          "userStopped": dice.once(in: 4) ? nil : .bool(dice.once(in: 3)),
          "error": dice.once(in: 2) ? SequenceGenerator.error : nil,
        ]
      default:
        event.data =
          event.data["success"] == nil || dice.once(in: 5)
          ? [:] : ["success": false, "error": dice.once(in: 4) ? nil : SequenceGenerator.error]
      }
    }
    base.moments[i].what = .event(event)
  }

  private static let badNews: [FactKind] = [
    .linkNotJoined, .linkLost, .mediaFailed, .mediaUnreachable, .mediaGap, .mediaEnded,
  ]
  private static let error: JSONValue = ["domain": "demo", "code": 7, "message": "no"]
  private static let names = Flow.rtspHotspot.events + ["x.fault.fired", "x.ap.up", "somethingNew"]

  private func insert(_ base: inout HealthySequence, _ dice: inout Dice) {
    let last = base.moments.last?.at ?? 0
    // A session spends most of its time running: there the most can happen to it.
    let running = dice.once(in: 3) ? base.index(of: "sessionFinish") : nil
    let i = running ?? dice.roll(0...base.moments.count)
    let at = (i == 0 ? 0 : base.moments[i - 1].at) + dice.roll(0...(dice.once(in: 4) ? 9000 : 300))
    let what: Happening
    switch dice.roll(0...19) {
    case 0...6: what = .event(anyEvent(&dice))
    case 7...9: what = .fact(dice.pick(FactKind.allCases))
    case 10...12: what = .fact(dice.pick(SequenceGenerator.badNews))
    case 13...15:
      what = .controlLost
      if !dice.once(in: 4) { base.moments.append((at + dice.roll(0...9000), .controlBack)) }
    case 16: what = .rebooted
    case 17: what = dice.once(in: 2) ? .abort : .begin
    case 18:
      // What comes when the session is long over.
      base.moments.append((last + dice.roll(0...20_000), .event(anyEvent(&dice))))
      return
    default: what = .tick
    }
    base.moments.insert((at, what), at: min(i, base.moments.count))
  }

  private func anyEvent(_ dice: inout Dice) -> RandomEvent {
    let data: JSONValue = [
      "success": dice.once(in: 20) ? nil : .bool(!dice.once(in: 6)), "userStopped": .bool(dice.once(in: 2)),
      "ssid": "s", "address": .string(dice.pick(SequenceGenerator.addresses)),
    ]
    let hasClock = dice.once(in: 2)
    return RandomEvent(
      dice.pick(SequenceGenerator.names), data, run: dice.pick([.own, .own, .other, .none]),
      lag: hasClock ? dice.roll(0...20_000) : nil, error: hasClock ? dice.roll(0...500) : 0)
  }
}
