import RigFlow
import RigModel

/// A plan whose device does what a sequence shows, where a fault of the catalog does that.
public enum SequencePlan {
  /// A fault that plans can ask for, what it does to a healthy session, and the failure point that is right.
  struct Deviation: Sendable {
    let verb: String
    let stage: StageID
    let blame: FailurePoint
    let script: SessionSequence
  }

  /// - Parameter breaks: whether a sequence breaks the same rule. The plan's own session is asked, not the one that was
  ///   found: the device plays whole sessions, and a plan that does not show the break is of no use.
  /// - Returns: the plan's text; `nil`: no fault leads there.
  public static func text(for sequence: SessionSequence, rule: String, breaks: (SessionSequence) -> Bool) -> String? {
    guard let deviation = all.first(where: { shows($0, in: sequence) && breaks($0.script) }) else { return nil }
    return text(of: deviation, rule: rule)
  }

  static func text(of deviation: Deviation, rule: String) -> String {
    let needsLimit = ["hang", "other-run", "ignore-stop"].contains(deviation.verb)
    return """
      version: 1
      plan: random-\(deviation.verb)-at-\(deviation.stage)
      title: A random session broke the rule \(rule), and \(deviation.verb) at \(deviation.stage) shows it
      flow: rtsp-hotspot
      tags: [random]
      needs: [rtsp]
      play-for: 1 s
      \(needsLimit ? "limits: {\(deviation.stage): 3 s}\n" : "")faults:
        - {at: \(deviation.stage), do: \(deviation.verb)}
      expect:
        failed: \(deviation.blame)

      """
  }

  /// Whether what the fault does to an event or a fact stands in the sequence.
  private static func shows(_ deviation: Deviation, in sequence: SessionSequence) -> Bool {
    let healthy = Set(HealthySequence(playFor: 1000).moments.map { mark($0.what) })
    let wanted = deviation.script.steps.map { mark($0.what) }
    let marks = sequence.steps.map { mark($0.what) }
    // The first thing that a healthy session has not; what follows from it may be missing.
    if let strange = wanted.first(where: { !healthy.contains($0) }) { return marks.contains(strange) }
    // Nothing strange, but something twice or missing.
    let counts = Dictionary(wanted.map { ($0, 1) }, uniquingKeysWith: +)
    let twice = counts.filter { $0.value > 1 }.keys
    if !twice.isEmpty { return twice.allSatisfy { mark in marks.count { $0 == mark } > 1 } }
    let missing = healthy.subtracting(wanted)
    return missing.allSatisfy { !marks.contains($0) }
  }

  /// What happens, without the details that the deviation does not rest on.
  private static func mark(_ what: Happening) -> String {
    guard case .event(let event) = what else { return "\(what)" }
    var word = "\(event.name) \(event.run)"
    if let success = event.data["success"]?.bool { word += " \(success)" }
    if event.name == "sessionFinish" { word += " \(event.data["userStopped"]?.bool ?? false)" }
    if event.name == "rtspAddressReceived" {
      switch AddressRule.check(event.data["address"]?.string) {
      case .success: word += " valid"
      case .failure(let failure): word += " \(failure.problem)"
      }
    }
    return word
  }

  static let all: [Deviation] = replies + completions + addresses + finishes

  private static func changed(_ change: (inout HealthySequence) -> Void) -> SessionSequence {
    var base = HealthySequence(playFor: 1000)
    change(&base)
    return base.sequence(isHealthy: false)
  }

  private static func deviation(
    _ verb: String, _ stage: StageID, _ blame: FailurePoint? = nil, _ change: (inout HealthySequence) -> Void
  ) -> Deviation {
    Deviation(verb: verb, stage: stage, blame: blame ?? FailurePoint(stage), script: changed(change))
  }

  private static let replies: [Deviation] = [
    deviation("not-ready", .preflight) { $0.moments = [(100, .preflightFailed)] },
    deviation("busy", .configureStream) { $0.moments = [(100, .preflightPassed), (200, .startRefused)] },
  ]

  private static let names: [(StageID, String)] = [
    (.configureHotspot, "hotspotConfigureCompletion"), (.enterLiveMode, "enterLiveStreamingModeCompleted"),
    (.connectHotspot, "deviceHotspotConnectCompletion"), (.startSession, "sessionStartCompletion"),
  ]

  private static let completions: [Deviation] = names.flatMap { stage, name in
    [
      deviation("refuse", stage) { base in
        guard let i = base.index(of: name) else { return }
        let no: JSONValue = ["success": false, "error": ["domain": "device", "code": -1, "message": "refused"]]
        let gone: JSONValue = ["userStopped": false, "error": ["domain": "device", "code": -1, "message": "refused"]]
        let at = base.moments[i].at
        base.moments[i].what = .event(RandomEvent(name, no))
        base.moments.removeSubrange((i + 1)...)
        base.moments.append((at + 200, .event(RandomEvent("sessionFinish", gone))))
        clean(&base, from: at + 300)
      },
      deviation("duplicate", stage, .protocolOrder) { base in
        if let i = base.index(of: name) {
          base.moments.insert((base.moments[i].at + 1, base.moments[i].what), at: i + 1)
        }
      },
      deviation("other-run", stage) { base in
        guard let i = base.index(of: name), case .event(var event) = base.moments[i].what else { return }
        event.run = .other
        base.moments[i].what = .event(event)
        base.moments.removeSubrange((i + 1)...)
      },
      deviation("hang", stage) { base in if let i = base.index(of: name) { base.moments.removeSubrange(i...) } },
    ]
  }

  private static let addresses: [Deviation] =
    [
      ("bad-scheme", "http://192.168.43.1/live"), ("no-host", "rtsp:///live"),
      ("control-bytes", "rtsp://192.168.43.1/\u{7}"),
    ].map { verb, url in
      deviation(verb, .receiveAddress) { base in
        guard let i = base.index(of: "rtspAddressReceived") else { return }
        base.moments[i].what = .event(RandomEvent("rtspAddressReceived", ["address": .string(url)]))
      }
    } + [
      deviation("twice", .receiveAddress, .protocolOrder) { base in
        guard let i = base.index(of: "rtspAddressReceived") else { return }
        base.moments.insert((base.moments[i].at + 1, base.moments[i].what), at: i + 1)
      },
      deviation("lie", .connectHotspot) { base in
        if let i = base.moments.firstIndex(where: { $0.what == .fact(.linkJoined) }) {
          base.moments[i].what = .fact(.linkNotJoined)
        }
      },
    ]

  private static let finishes: [Deviation] = [
    deviation("finish-twice", .finish, .protocolOrder) { base in
      if let i = base.index(of: "sessionFinish") {
        base.moments.insert((base.moments[i].at + 1, base.moments[i].what), at: i + 1)
      }
    },
    deviation("wrong-user-stopped", .finish) { base in
      if let i = base.index(of: "sessionFinish") {
        base.moments[i].what = .event(RandomEvent("sessionFinish", ["userStopped": false]))
      }
    },
    deviation("ignore-stop", .finish) { base in
      if let i = base.index(of: "sessionFinish") { base.moments.removeSubrange(i...) }
    },
    deviation("interrupt", .running, FailurePoint(.finish)) { base in
      guard let i = base.index(of: "sessionFinish") else { return }
      let gone: JSONValue = ["userStopped": false, "error": ["domain": "camera", "code": 17, "message": "closed"]]
      base.moments[i] = (base.moments[i].at - 900, .event(RandomEvent("sessionFinish", gone)))
    },
    deviation("reboot", .running) { base in
      guard let i = base.index(of: "sessionFinish") else { return }
      base.moments[i] = (base.moments[i].at - 900, .rebooted)
    },
    deviation("leak-port", .cleanUp) { base in
      if let i = base.moments.firstIndex(where: { $0.what == .fact(.portClosed) }) {
        base.moments[i].what = .fact(.portStillOpen)
      }
    },
    deviation("leak-hotspot", .cleanUp) { base in
      if let i = base.moments.firstIndex(where: { $0.what == .fact(.hotspotGone) }) {
        base.moments[i].what = .fact(.hotspotStillUp)
      }
    },
  ]

  private static func clean(_ base: inout HealthySequence, from at: Int) {
    for (i, kind) in [FactKind.portClosed, .wireQuiet, .hotspotGone].enumerated() {
      base.moments.append((at + 100 * i, .fact(kind)))
    }
  }
}
