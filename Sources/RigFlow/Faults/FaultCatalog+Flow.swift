import RigModel

extension FaultCatalog {
  /// Stages that the device completes with an event that carries `success`.
  private static let completed: [StageID] = [.configureHotspot, .enterLiveMode, .connectHotspot, .startSession]
  private static let error: [Argument] = [
    Argument(name: "code", kind: .integer, summary: "the error's code"),
    Argument(name: "message", kind: .text, summary: "the error's message; it decides nothing"),
  ]

  static let flow: [FaultDefinition] = [
    FaultDefinition(
      "refuse", .flow, at: completed, arguments: error, proof: .refusedCompletion,
      "the stage completes with an error"),
    FaultDefinition(
      "refuse", .flow, at: [.configureStream], arguments: error, proof: .refusedStart, "the start request is refused"),
    FaultDefinition(
      "busy", .flow, at: [.configureStream], proof: .refusedStart, "the start request is refused as busy"),
    FaultDefinition(
      "hang", .flow, at: completed + [.waitForHotspot, .receiveAddress], proof: .missingCompletion,
      "the stage never completes, and the device goes no further"),
    FaultDefinition(
      "drop", .flow, at: completed + [.receiveAddress], proof: .missingCompletion,
      trips: ["flow.order", "flow.address-vs-start"],
      "the completion is lost, and the device goes on"),
    FaultDefinition(
      "delay", .flow, at: completed + [.waitForHotspot, .receiveAddress], arguments: [duration],
      proof: .lateCompletion, "the completion comes later, inside its limit"),
    FaultDefinition(
      "late", .flow, at: completed + [.waitForHotspot, .receiveAddress], arguments: [duration],
      proof: .missingCompletion, "the completion comes after the stage's limit"),
    FaultDefinition(
      "duplicate", .flow, at: completed, proof: .repeatedCompletion, trips: ["flow.order"],
      "the completion comes twice"),
    FaultDefinition(
      "lie", .flow, at: [.connectHotspot], proof: .contradictedSuccess, trips: ["flow.corroborated"],
      "success is reported, and is not true"),
    FaultDefinition(
      "other-run", .flow, at: completed, proof: .otherRun, "the completion carries another run's id"),
    FaultDefinition(
      "reboot", .flow, at: completed + [.waitForHotspot, .running],
      arguments: [
        Argument(name: "after", kind: .duration, summary: "how long after the stage began")
      ], proof: .reboot, "the device reboots"),
    FaultDefinition(
      "not-ready", .flow, at: [.preflight], proof: .notReady, "the device says that it is not ready"),
  ]
}
