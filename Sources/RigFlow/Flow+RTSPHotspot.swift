public import RigModel

extension Flow {
  /// The RTSP-over-hotspot start flow. Stage names, events and limits are those of the flow's guide.
  ///
  /// `receive-address` → `play` runs beside `start-session`: the address and the session-start completion are two
  /// events in either order, and both are needed.
  public static let rtspHotspot = Flow(
    id: .rtspHotspot,
    stages: [
      Stage(
        .preflight, begins: .harness(.hello), completes: [.harness(.preflightPassed)], gate: .ready,
        limit: .seconds(20), summary: "device connected, usable, conforms to the API, supports RTSP live streaming"),
      Stage(
        .configureStream, begins: .harness(.startSent), completes: [.harness(.startAccepted)], gate: .accepted,
        limit: .seconds(10), summary: "start request with its parameters accepted"),
      Stage(
        .configureHotspot, begins: .event("configureHotspotStarting"),
        completes: [.success("hotspotConfigureCompletion")], limit: .seconds(30),
        summary: "the device configures its hotspot"),
      Stage(
        .enterLiveMode, begins: .event("enterLiveStreamingModeStarting"),
        completes: [.success("enterLiveStreamingModeCompleted")], limit: .seconds(10),
        summary: "the device enters live-streaming mode"),
      Stage(
        .waitForHotspot, begins: .event("waitingForHotspotOpen"), completes: [.event("connectDeviceHotspotStarting")],
        limit: .seconds(30), summary: "the hotspot opens"),
      Stage(
        .connectHotspot, begins: .event("connectDeviceHotspotStarting"),
        completes: [.success("deviceHotspotConnectCompletion"), .fact(.linkJoined)], limit: .seconds(90),
        summary: "the hotspot is joined, and a witness other than the device saw it"),
      Stage(
        .receiveAddress, begins: .completed(.connectHotspot), completes: [.harness(.addressAccepted)],
        gate: .address, limit: .seconds(10), summary: "a valid RTSP URL is received"),
      Stage(
        .play, begins: .completed(.receiveAddress), completes: [.fact(.keyFrame)], gate: .media, limit: .seconds(5),
        summary: "the first key frame is decoded"),
      Stage(
        .startSession, begins: .completed(.connectHotspot),
        completes: [.success("sessionStartCompletion"), .fact(.keyFrame)], gate: .active, limit: .seconds(30),
        summary: "the session start is reported, and media is proven"),
      Stage(
        .running, begins: .completed(.startSession), completes: [.harness(.stopRequested)], limit: nil,
        summary: "media flows until a stop is asked for, or the device ends"),
      Stage(
        .finish, begins: .completed(.running), completes: [.event("sessionFinish")], gate: .ended,
        limit: .seconds(10), summary: "the session finishes, once, by user stop"),
      Stage(
        .cleanUp, begins: .harness(.sessionOver),
        completes: [.fact(.portClosed), .fact(.wireQuiet), .fact(.hotspotGone)], limit: .seconds(10),
        summary: "socket freed, wire quiet, hotspot gone"),
    ],
    gateOrder: [.ready, .accepted, .address, .media, .active, .ended],
    limits: [
      Limit("media-gap", .seconds(2), "longest time without media while running"),
      Limit("quiet-wire", .seconds(5), "longest time until the wire is quiet after the session"),
    ],
    events: [
      "configureHotspotStarting", "hotspotConfigureCompletion", "enterLiveStreamingModeStarting",
      "enterLiveStreamingModeCompleted", "waitingForHotspotOpen", "connectDeviceHotspotStarting",
      "deviceHotspotConnectCompletion", "rtspAddressReceived", "sessionStartCompletion", "sessionFinish",
    ],
    drivable: true)
}
