import RigChecks
import RigFlow
import RigModel

/// The timeline of a session, entry by entry, with times in milliseconds.
struct FlowTimeline {
  static let run = "run-1"
  static let url = "rtsp://192.168.43.1:8554/live"
  var entries: [(ms: Int, what: TimelineEntry.What)]

  static func event(
    _ name: String, _ data: JSONValue = [:], run: String? = FlowTimeline.run, at ms: Int, sequence: Int64 = 7
  ) -> (ms: Int, what: TimelineEntry.What) {
    let event = DeviceEvent(
      received: .zero + .milliseconds(ms), sequence: sequence, boot: "b", run: run, name: name, source: "device",
      data: data)
    return (ms, .event(event))
  }

  static func done(_ name: String, at ms: Int) -> (ms: Int, what: TimelineEntry.What) {
    event(name, ["success": true], at: ms)
  }

  static func fact(_ kind: FactKind, _ detail: String = "", at ms: Int) -> (ms: Int, what: TimelineEntry.What) {
    (ms, .fact(Fact(kind, by: .link, at: .zero + .milliseconds(ms), detail: detail)))
  }

  static func began(_ id: StageID, at ms: Int) -> (ms: Int, what: TimelineEntry.What) {
    (ms, .stageBegan(id, deadline: .zero + .milliseconds(ms + 10_000)))
  }

  static func ended(
    _ id: StageID, _ outcome: StageOutcome = .passed, _ reason: String = "", at ms: Int
  ) -> (ms: Int, what: TimelineEntry.What) {
    (ms, .stageEnded(id, outcome, reason: reason))
  }

  /// Event before what follows from it, as a run writes it.
  static let healthy = FlowTimeline(entries: [
    began(.preflight, at: 0), ended(.preflight, at: 10), began(.configureStream, at: 10), (11, .action("start")),
    ended(.configureStream, at: 20), event("configureHotspotStarting", at: 30), began(.configureHotspot, at: 31),
    done("hotspotConfigureCompletion", at: 2000), ended(.configureHotspot, at: 2001),
    event("enterLiveStreamingModeStarting", at: 2010), began(.enterLiveMode, at: 2011),
    done("enterLiveStreamingModeCompleted", at: 3900), ended(.enterLiveMode, at: 3901),
    event("waitingForHotspotOpen", at: 3910), began(.waitForHotspot, at: 3911),
    event("connectDeviceHotspotStarting", ["ssid": "rig-1"], at: 7200), began(.connectHotspot, at: 7201),
    ended(.waitForHotspot, at: 7202), done("deviceHotspotConnectCompletion", at: 11_800), fact(.linkJoined, at: 11_900),
    ended(.connectHotspot, at: 11_901), began(.receiveAddress, at: 11_902), began(.startSession, at: 11_903),
    event("rtspAddressReceived", ["address": .string(url)], at: 12_300), ended(.receiveAddress, at: 12_301),
    began(.play, at: 12_302), (12_303, .action(HarnessAction.open(url))), fact(.keyFrame, at: 12_500),
    ended(.play, at: 12_501), done("sessionStartCompletion", at: 12_900), ended(.startSession, at: 12_901),
    began(.running, at: 12_902), event("x.thermal", ["c": 40], at: 14_000), ended(.running, at: 17_900),
    began(.finish, at: 17_901), (17_902, .action(HarnessAction.stop)),
    event("sessionFinish", ["userStopped": true], at: 18_200), ended(.finish, at: 18_201),
    (18_202, .action(HarnessAction.closeMedia)), began(.cleanUp, at: 18_203), fact(.portClosed, at: 18_300),
    fact(.wireQuiet, at: 19_000), fact(.hotspotGone, at: 19_100), ended(.cleanUp, at: 19_101),
  ])

  /// With more entries, in order of time; after those that have the same time.
  func adding(_ more: (ms: Int, what: TimelineEntry.What)...) -> FlowTimeline {
    let order = (entries + more).enumerated().sorted { ($0.1.ms, $0.0) < ($1.1.ms, $1.0) }
    return FlowTimeline(entries: order.map(\.1))
  }

  func without(_ times: Int...) -> FlowTimeline { FlowTimeline(entries: entries.filter { !times.contains($0.ms) }) }
  func upTo(_ ms: Int) -> FlowTimeline { FlowTimeline(entries: entries.filter { $0.ms <= ms }) }

  func findings(strict: Bool = false) -> [Finding] {
    var checks = FlowChecks(FlowContext(flow: .rtspHotspot, run: FlowTimeline.run, strict: strict))
    for (ms, what) in entries { checks.see(TimelineEntry(.zero + .milliseconds(ms), what)) }
    return checks.finish()
  }
}
