import RigModel

extension FaultCatalog {
  /// Stages during which frames pass between the station and the device.
  private static let onAir: [StageID] = [.connectHotspot, .play, .running]
  private static let after = Argument(
    name: "after", kind: .duration, summary: "how long after the stage began; at once without it")
  private static let lasting = Argument(
    name: "for", kind: .duration, summary: "how long; to the end of the case without it")
  private static let share = Argument(name: "share", kind: .percent, required: true, summary: "share of the frames")

  private static func way(_ usual: String) -> Argument {
    Argument(
      name: "way", kind: .text, choices: ["down", "up", "both"],
      summary: "down: from the device, up: to it, both; \(usual) without it")
  }

  private static func onLink(
    _ verb: String, at stages: [StageID], _ arguments: [Argument], trips: [String] = [], _ summary: String
  ) -> FaultDefinition {
    FaultDefinition(
      verb, .link, at: stages, arguments: arguments + [after, lasting], proof: .link, trips: trips, needsWire: true,
      summary)
  }

  /// Deviations of the network path. The rig performs them, on real frames; the device is not asked and cannot know.
  static let link: [FaultDefinition] = [
    onLink(
      "loss", at: onAir, [share, way("down")], trips: ["rtp.seq", "h264.fu", "h265.fu", "media.decodable"],
      "frames vanish on the air"),
    onLink(
      "delay", at: [.play, .running],
      [
        Argument(name: "by", kind: .duration, required: true, summary: "what is added to every frame's way"),
        way("both"),
      ],
      "frames come later"),
    onLink(
      "jitter", at: [.play, .running],
      [
        Argument(name: "by", kind: .duration, required: true, summary: "half the width of the spread of the delay"),
        way("both"),
      ], trips: ["timing.jitter"], "the delay of frames varies; their order stays"),
    onLink(
      "reorder-packets", at: [.play, .running], [share, way("down")], trips: ["rtp.seq", "h264.fu", "h265.fu"],
      "frames are overtaken by later ones"),
    onLink(
      "duplicate-packets", at: [.play, .running], [share, way("down")], trips: ["rtp.seq"], "frames come twice"),
    onLink(
      "corrupt-packets", at: onAir, [share, way("down")], trips: ["rtp.seq", "h264.fu", "h265.fu", "media.decodable"],
      "one bit of a frame is flipped; a receiver drops it for its checksum"),
    onLink(
      "rate", at: [.play, .running],
      [Argument(name: "to", kind: .bitRate, required: true, summary: "bits of frames a second"), way("down")],
      trips: ["rtp.seq", "h264.fu", "h265.fu", "media.decodable"],
      "no more than so many bits a second pass; what does not fit the queue is dropped"),
    onLink(
      "blackout", at: onAir, [way("both")], trips: ["rtp.seq", "h264.fu", "h265.fu", "media.decodable", "media.gap"],
      "nothing passes, and both sides keep their carrier"),
    onLink(
      "drop-link", at: [.receiveAddress, .play, .startSession, .running], [],
      trips: ["flow.stay-on-hotspot", "rtp.seq", "h264.fu", "h265.fu", "media.decodable", "media.gap"],
      "the station loses the hotspot"),
    FaultDefinition(
      "no-lease", .link, at: [.connectHotspot],
      arguments: [
        Argument(
          name: "manner", kind: .text, choices: ["silent", "refusing"],
          summary: "whether the DHCP server stays silent or refuses; silent without it")
      ], proof: .link, trips: ["flow.corroborated"], needsWire: true, "the station gets no address"),
    FaultDefinition(
      "subnet-clash", .link, at: [.connectHotspot], proof: .link, trips: ["flow.corroborated"], needsWire: true,
      "the station has another network with the device's addresses"),
  ]
}
