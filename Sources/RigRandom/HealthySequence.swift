import RigModel

/// A session that nothing disturbs, as a list of moments in milliseconds since its beginning.
struct HealthySequence {
  typealias Moment = (at: Int, what: Happening)

  static let url = "rtsp://192.168.43.1:8554/live"

  var playFor: Int
  var moments: [Moment] = []

  /// How long things take: drawn, or the same each time.
  init(_ dice: inout Dice) {
    self.init(playFor: dice.roll(0...4000)) { range in dice.roll(range) }
  }

  init(playFor: Int) { self.init(playFor: playFor) { ($0.lowerBound + $0.upperBound) / 2 } }

  private init(playFor: Int, _ draw: (ClosedRange<Int>) -> Int) {
    self.playFor = playFor
    var now = 0
    func then(_ range: ClosedRange<Int>, _ what: Happening, _ list: inout [Moment]) {
      now += draw(range)
      list.append((now, what))
    }
    func event(_ name: String, _ data: JSONValue = [:]) -> Happening { .event(RandomEvent(name, data)) }
    let done: JSONValue = ["success": true]
    var list: [Moment] = []
    then(1...400, .preflightPassed, &list)
    then(1...200, .startAccepted, &list)
    then(1...50, event("configureHotspotStarting"), &list)
    then(200...2000, event("hotspotConfigureCompletion", done), &list)
    then(1...50, event("enterLiveStreamingModeStarting"), &list)
    then(200...2000, event("enterLiveStreamingModeCompleted", done), &list)
    then(1...50, event("waitingForHotspotOpen"), &list)
    then(400...4000, event("connectDeviceHotspotStarting", ["ssid": "rig-1", "join": ["by": "device"]]), &list)
    then(300...4000, event("deviceHotspotConnectCompletion", done), &list)
    then(1...200, .fact(.linkJoined), &list)
    let joined = now
    then(50...900, event("rtspAddressReceived", ["address": .string(HealthySequence.url)]), &list)
    then(50...900, .fact(.keyFrame), &list)
    let picture = now
    // The session start comes before or after the address and the picture.
    let started = joined + draw(10...2500)
    list.append((started, event("sessionStartCompletion", done)))
    now = max(picture, started) + playFor
    then(50...500, event("sessionFinish", ["userStopped": true]), &list)
    then(10...500, .fact(.portClosed), &list)
    then(10...500, .fact(.wireQuiet), &list)
    then(10...500, .fact(.hotspotGone), &list)
    // The session start stands in the list behind what it may have come before.
    moments = list.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
  }

  /// As a sequence: each step with the time since the one before it.
  func sequence(isHealthy: Bool) -> SessionSequence {
    let ordered = moments.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
    var last = 0
    var steps: [SessionSequence.Step] = []
    steps.reserveCapacity(ordered.count)
    for (_, moment) in ordered {
      let at = max(moment.at, last)
      steps.append(SessionSequence.Step(after: at - last, moment.what))
      last = at
    }
    return SessionSequence(playFor: playFor, steps: steps, isHealthy: isHealthy)
  }

  func index(of name: String) -> Int? {
    moments.firstIndex { if case .event(let event) = $0.what { event.name == name } else { false } }
  }
}
