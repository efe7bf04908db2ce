import RigModel
import RigPlan
import RigYAML

/// A small vocabulary of two flows: enough words for every kind of rule.
enum Sample {
  static let stages = [
    "preflight", "configure-stream", "configure-hotspot", "enter-live-mode", "connect-hotspot", "receive-address",
    "play", "start-session", "running", "finish", "clean-up",
  ]

  static let vocabulary = PlanVocabulary(
    flows: [
      .init(
        id: .rtspHotspot, stages: stages, gates: ["ready", "accepted", "address", "media", "active", "ended"],
        limits: ["configure-hotspot", "enter-live-mode", "play", "finish", "media-gap", "quiet-wire"],
        events: ["rtspAddressReceived", "sessionStartCompletion", "sessionFinish"],
        opens: [
          "ready": "preflight", "accepted": "configure-stream", "address": "receive-address", "media": "play",
          "active": "start-session", "ended": "finish",
        ], drivable: true),
      .init(
        id: .hlsRoom, stages: ["join-room", "request", "starting", "playable", "play", "finish"],
        gates: ["ready", "accepted", "address", "media", "active", "ended"], limits: ["starting", "playable"],
        events: ["HLS_STARTED", "HLS_PLAYABLE"], drivable: false),
    ],
    faults: [
      .init(
        verb: "hang", layer: "flow",
        stages: [.rtspHotspot: ["enter-live-mode", "configure-hotspot", "start-session"]], arguments: [],
        summary: "Never completes."),
      .init(
        verb: "delay", layer: "flow", stages: [.rtspHotspot: ["configure-hotspot", "enter-live-mode"]],
        arguments: [.init(name: "by", kind: .duration, required: true, summary: "How long.")],
        summary: "Completes late."),
      .init(
        verb: "delay", layer: "link", stages: [.rtspHotspot: ["running"]],
        arguments: [
          .init(name: "time", kind: .duration, required: true, summary: "Added to each packet."),
          .init(name: "share", kind: .percent, summary: "How many packets."),
        ], summary: "Packets arrive late."),
      .init(
        verb: "status", layer: "rtsp", stages: [.rtspHotspot: ["play"]],
        arguments: [
          .init(name: "code", kind: .integer, required: true, summary: "The status code."),
          .init(
            name: "method", kind: .text, required: true, choices: ["OPTIONS", "DESCRIBE", "SETUP", "PLAY"],
            summary: "The request that gets it."),
          .init(name: "reason", kind: .text, summary: "The reason phrase."),
          .init(name: "once", kind: .flag, summary: "Only the first time."),
        ], summary: "Answers a request with this status."),
      .init(
        verb: "rate", layer: "link", stages: [.rtspHotspot: ["running"]],
        arguments: [.init(name: "limit", kind: .bitRate, required: true, summary: "The link's rate.")],
        summary: "A slow link."),
      .init(
        verb: "no-url", layer: "room", stages: [.hlsRoom: ["playable"]], arguments: [], summary: "Playable without URL."
      ),
    ],
    checks: ["rtcp.sr.present", "rtp.initial.random", "rtp.seq"].map {
      CheckInfo(id: $0, rule: "A rule.", reference: "RFC 3550", severity: .error)
    },
    capabilities: ["rtsp", "hotspot", "usb"])

  /// The stages with a gate, as the flow catalog would give them.
  static let flow = Flow(
    id: .rtspHotspot,
    stages: stages.map { name in
      let gates: [String: Gate] = [
        "preflight": .ready, "configure-stream": .accepted, "receive-address": .address, "play": .media,
        "start-session": .active, "finish": .ended,
      ]
      return .init(
        StageID(rawValue: name), begins: .event(name), completes: [], gate: gates[name],
        limit: name == "running" ? nil : .seconds(1), summary: "")
    },
    gateOrder: [.ready, .accepted, .address, .media, .active, .ended], limits: [], events: [], drivable: true)

  /// - Parameter files: what the plan may extend, by path.
  static func read(_ text: String, file: String = "p.yaml", files: [String: String] = [:]) -> PlanReading {
    YAMLDocument.readPlan(bytes: Array(text.utf8), file: file, vocabulary: vocabulary, flows: [flow]) { path in
      files[path].map { .bytes(Array($0.utf8)) } ?? .unreadable("No such file or directory")
    }
  }

  /// The four keys that every plan needs, on lines 1 to 4; `rest` begins on line 5.
  static func plan(id: String = "p", flow: String = "rtsp-hotspot", _ rest: String = "") -> String {
    "version: 1\nplan: \(id)\ntitle: A plan\nflow: \(flow)\n\(rest)"
  }

  /// The diagnostics of a plan with these further lines, as they are printed.
  static func errors(_ rest: String) -> [String] { read(plan(rest)).diagnostics.map(\.description) }

  static let full = """
    version: 1
    plan: mode-entry-timeout             # stable id
    title: The device never finishes entering live mode
    flow: rtsp-hotspot
    tags: [fault, smoke]
    needs: [rtsp]
    device: {model: "*"}
    params: {bitrate: 4 Mbit/s, quality-factor: 20, i-frame-interval: 29}
    transport: tcp
    play-for: 5 s
    limits: {enter-live-mode: 3 s, media-gap: 250ms}
    faults:
      - {at: enter-live-mode, do: hang}
      - {at: running, do: delay, time: 20 ms, share: 2.5 %}
      - at: play
        do: status
        code: 454
        method: SETUP
        reason: "Session Not Found"
        once: true
      - {at: running, do: rate, limit: 500 kbit/s}
    expect:
      failed: enter-live-mode
      reached: accepted
      never: [rtspAddressReceived]
    checks: {rtcp.sr.present: off, rtp.initial.random: policy, rtp.seq: on}
    strict: true
    matrix:
      play-for: [2.0s, 1 min]
      transport: [udp, tcp]
      params:
        - default
        - {name: low, bitrate: 0, quality-factor: 40, i-frame-interval: 0}
      device.model: ["cam-*", box]

    """
}
