import RigFlow
import RigModel

/// What is opened, and what counts as proven.
extension SessionRule {
  static let media: [SessionRule] = [
    SessionRule("url-never-guessed", "only the first received address is opened, once, and only a valid one") { c in
      let opened = c.moments.flatMap { moment in
        moment.actions.compactMap { if case .openMedia(let url) = $0 { url } else { nil } }
      }
      guard let url = opened.first else { return nil }
      guard opened.count == 1 else { return "\(opened.count) streams were opened" }
      guard let started = c.started, let moment = c.opened?.moment else { return "a stream before the start" }
      let received = (started..<moment + 1).lazy.compactMap { c.ownEvent($0) }.first {
        $0.name == "rtspAddressReceived"
      }
      guard received?.data["address"]?.string == url else { return "\(url) was opened, and was not received first" }
      return SessionRule.isPlausible(url) ? nil : "\(url.debugDescription) was opened"
    },
    SessionRule("corroborated", "a reported join passes only with a witness's fact that came meanwhile") { c in
      guard let passed = c.passed(.connectHotspot) else { return nil }
      guard c.hadEvent("deviceHotspotConnectCompletion", success: true, until: passed) else {
        return "connect-hotspot passed, and no join was reported"
      }
      let began = c.began[.connectHotspot]?.moment ?? passed
      return c.hadFact(.linkJoined, after: began, until: passed) ? nil : "connect-hotspot passed on the device's word"
    },
    SessionRule("play-is-proven", "play passes only by a key frame of what was opened") { c in
      guard let passed = c.passed(.play) else { return nil }
      guard let opened = c.opened?.moment else { return "play passed, and nothing was opened" }
      return c.hadFact(.keyFrame, after: opened, until: passed) ? nil : "play passed without a key frame"
    },
    SessionRule("active-is-proven", "active takes the session start's success and a key frame") { c in
      for (i, moment) in c.moments.enumerated() {
        for action in moment.actions {
          let isActive =
            switch action {
            case .gate(.active), .stageBegan(.running, _): true
            case .stageEnded(.startSession, let outcome, _): outcome == .passed || outcome == .inconclusive
            default: false
            }
          guard isActive else { continue }
          if !c.hadEvent("sessionStartCompletion", success: true, until: i) {
            return "\(action) without a session start"
          }
          guard let opened = c.opened?.moment, c.hadFact(.keyFrame, after: opened, until: i) else {
            return "\(action) without a key frame"
          }
        }
      }
      return nil
    },
    SessionRule("reported-stages", "a stage that an event completes passes only by that event") { c in
      let events: [(StageID, String, Bool?)] = [
        (.configureHotspot, "hotspotConfigureCompletion", true),
        (.enterLiveMode, "enterLiveStreamingModeCompleted", true),
        (.waitForHotspot, "connectDeviceHotspotStarting", nil), (.receiveAddress, "rtspAddressReceived", nil),
        (.finish, "sessionFinish", nil),
      ]
      for (stage, event, success) in events {
        guard let passed = c.passed(stage) else { continue }
        if !c.hadEvent(event, success: success, until: passed) { return "\(stage) passed without \(event)" }
      }
      return nil
    },
  ]

  /// Not the rules of addresses again: what no address may be, by its letters.
  private static func isPlausible(_ url: String) -> Bool {
    let prefix = "rtsp://"
    guard url.lowercased().hasPrefix(prefix), url.utf8.count <= 1024 else { return false }
    guard url.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F }) else { return false }
    let host = url.dropFirst(prefix.count).prefix { $0 != "/" }
    return !host.isEmpty && !host.hasPrefix(":") && !host.hasSuffix(":0") && !host.hasPrefix("255.255.255.255")
  }
}
