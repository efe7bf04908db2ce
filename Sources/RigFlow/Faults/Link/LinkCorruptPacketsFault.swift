import RigModel

extension FaultDefinition {
  static let linkCorruptPackets = FaultDefinition(
    "corrupt-packets", .link, at: [.connectHotspot, .play, .running],
    arguments: [
      FaultArgumentDefinition(
        "share", .percent, required: true, example: .percent(Percent(fraction: 0.05)), "share of the frames"),
      FaultArgumentDefinition(
        "way", .text, choices: ["down", "up", "both"], standard: .text("down"), "down: from the device, up: to it"),
      FaultArgumentDefinition("after", .duration, standard: .duration(.zero), "how long after the stage began"),
      FaultArgumentDefinition("for", .duration, "how long; left out: to the end of the case"),
    ],
    proof: .link,
    outcome: .at([.connectHotspot: .failsAt(FailurePoint(.running)), .play: .failsAt(FailurePoint(.running))]),
    // Where no whole datagram of a stream was seen before, its checksum says nothing, and damage is judged as it stands.
    trips: [
      "rtp.seq", "h264.fu", "h265.packets", "media.decodable", "rtcp.length", "rtcp.compound", "rtcp.bye",
      "rtcp.sr.mapping", "rtp.version-padding-ext", "rtp.pt.known", "rtp.ssrc.stable", "transport.ssrc.match",
      "timing.monotonic", "h264.marker.au-end", "h264.stap", "h264.no-startcode", "aac.au-headers",
    ],
    needsWire: true, transport: .udp, plays: .seconds(4),
    summary: "one bit of a frame is flipped; a receiver drops it for its checksum",
    about: """
      A share of the frames is damaged on the air. What is damaged is dropped by its receiver, so it is lost; the \
      capture sees it before that, with whatever the flipped bit makes of it.
      """)
}
