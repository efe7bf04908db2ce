import RigModel

extension FaultCatalog {
  static let finish: [FaultDefinition] = [
    FaultDefinition(
      "interrupt", .finish, at: [.running],
      arguments: [
        Argument(name: "after", kind: .duration, summary: "how long after the session became active")
      ], proof: .finish(.interrupted), "the session ends by itself, with an error"),
    FaultDefinition("ignore-stop", .finish, at: [.finish], proof: .finish(.missing), "the stop is ignored"),
    FaultDefinition(
      "no-finish", .finish, at: [.finish], proof: .finish(.missing), "the session ends without sessionFinish"),
    FaultDefinition(
      "finish-twice", .finish, at: [.finish], proof: .finish(.repeated), trips: ["flow.finish-once"],
      "sessionFinish comes twice"),
    FaultDefinition(
      "events-after-finish", .finish, at: [.finish], proof: .finish(.eventAfter), trips: ["flow.finish-once"],
      "an event of the run follows its sessionFinish"),
    FaultDefinition(
      "wrong-user-stopped", .finish, at: [.finish], proof: .finish(.wrongUserStopped),
      trips: ["flow.user-stop-told-apart"], "a requested stop is reported as an interruption"),
    FaultDefinition(
      "leak-port", .finish, at: [.cleanUp], proof: .fact(.portStillOpen), trips: ["flow.clean-end"],
      "the RTSP port stays open"),
    FaultDefinition(
      "leak-hotspot", .finish, at: [.cleanUp], proof: .fact(.hotspotStillUp), trips: ["flow.clean-end"],
      "the hotspot stays up"),
    FaultDefinition(
      "stays-busy", .finish, at: [.cleanUp], proof: .fact(.nextStartRefused),
      "the device takes no other start until it is reset"),
  ]

  static let controlLink: [FaultDefinition] = [
    FaultDefinition(
      "heartbeat-lost", .controlLink, at: [.running], proof: .controlLost,
      "the control link goes silent: no heartbeats, no events"),
    FaultDefinition(
      "damaged-record", .controlLink, at: [.configureHotspot, .enterLiveMode], proof: .damagedRecord,
      "a record is damaged on the control link; the event comes again by replay"),
  ]
}
