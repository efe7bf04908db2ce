public import RigModel

extension Flow {
  /// The room flow that ends in a playable HLS URL. Described; not yet drivable.
  public static let hlsRoom = Flow(
    id: .hlsRoom,
    stages: [
      Stage(
        "join-room", begins: .harness(.hello), completes: [.event("CONNECTED")], gate: .ready, limit: .seconds(30),
        summary: "the room is joined"),
      Stage(
        "request", begins: .harness(.startSent), completes: [.harness(.startAccepted)], gate: .accepted,
        limit: .seconds(10), summary: "startHLS returns"),
      Stage(
        "starting", begins: .completed("request"), completes: [.any([.event("HLS_STARTING"), .event("HLS_STARTED")])],
        limit: .seconds(30), summary: "the server says that it starts; the event may be missed"),
      Stage(
        "started", begins: .completed("request"), completes: [.event("HLS_STARTED")], limit: .seconds(30),
        summary: "the server accepted; nothing is playable yet"),
      Stage(
        "playable", begins: .completed("started"), completes: [.event("HLS_PLAYABLE")], gate: .address,
        limit: .seconds(60), summary: "a playback or livestream URL is received"),
      Stage(
        .play, begins: .completed("playable"), completes: [.fact(.keyFrame)], gate: .media, limit: .seconds(30),
        summary: "three clean segments fetched and decoded"),
      Stage(
        .running, begins: .completed(.play), completes: [.harness(.stopRequested)], gate: .active, limit: nil,
        summary: "segments keep coming"),
      Stage(
        "stopping", begins: .completed(.running), completes: [.any([.event("HLS_STOPPING"), .event("HLS_STOPPED")])],
        limit: .seconds(10), summary: "the stop is under way; the event may be missed"),
      Stage(
        .finish, begins: .completed(.running), completes: [.event("HLS_STOPPED")], gate: .ended, limit: .seconds(30),
        summary: "stopped, playlist ended or gone"),
    ],
    gateOrder: [.ready, .accepted, .address, .media, .active, .ended],
    limits: [Limit("media-gap", .seconds(12), "longest time without a new segment while running")],
    events: ["CONNECTED", "HLS_STARTING", "HLS_STARTED", "HLS_PLAYABLE", "HLS_STOPPING", "HLS_STOPPED", "onError"],
    drivable: false)
}
