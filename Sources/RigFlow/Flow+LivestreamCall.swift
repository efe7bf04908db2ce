public import RigModel

extension Flow {
  /// The livestream call with backstage, host media and an HLS broadcast. Described; not yet drivable.
  public static let livestreamCall = Flow(
    id: .livestreamCall,
    stages: [
      Stage(
        "backstage", begins: .harness(.hello), completes: [.event("call.created")], gate: .ready, limit: .seconds(30),
        summary: "call created, backstage is true"),
      Stage(
        "host-publish", begins: .completed("backstage"), completes: [.fact(.firstPacket)], limit: .seconds(30),
        summary: "the host's media arrives"),
      Stage(
        "go-live", begins: .harness(.startSent), completes: [.harness(.startAccepted)], gate: .accepted,
        limit: .seconds(10), summary: "goLive answered 2xx"),
      Stage(
        "live", begins: .completed("go-live"), completes: [.event("call.live_started")], limit: .seconds(30),
        summary: "live, not ended"),
      Stage(
        "start-hls", begins: .completed("live"), completes: [.event("call.hls_broadcasting_started")], gate: .address,
        limit: .seconds(60), summary: "the playlist URL is received"),
      Stage(
        "view", begins: .completed("start-hls"), completes: [.fact(.keyFrame)], gate: .media, limit: .seconds(30),
        summary: "media is proven"),
      Stage(
        .running, begins: .completed("view"), completes: [.harness(.stopRequested)], gate: .active, limit: nil,
        summary: "media flows"),
      Stage(
        .finish, begins: .completed(.running), completes: [.event("call.ended")], gate: .ended, limit: .seconds(30),
        summary: "ended, recordings listed afterwards"),
    ],
    gateOrder: [.ready, .accepted, .address, .media, .active, .ended],
    limits: [Limit("media-gap", .seconds(12), "longest time without media while running")],
    events: [
      "call.created", "call.live_started", "call.hls_broadcasting_started", "call.hls_broadcasting_failed",
      "call.ended",
    ],
    drivable: false)
}
