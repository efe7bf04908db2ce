import RigModel

extension FaultCatalog {
  /// - Parameter alsoTrips: findings that follow from the fault as well (players answer garbage, decoders lose pictures).
  private static func onWire(
    _ verb: String, _ layer: FaultDefinition.Layer, _ stage: StageID, _ checks: [String],
    alsoTrips: [String] = [], arguments: [Argument] = [], _ summary: String
  ) -> FaultDefinition {
    FaultDefinition(
      verb, layer, at: [stage], arguments: arguments, proof: .finding(checks), trips: checks + alsoTrips,
      needsWire: true, summary)
  }

  /// Deviations of the RTSP server and its media. The proof is what a check found in the capture.
  static let wire: [FaultDefinition] = [
    onWire("bad-cseq", .rtsp, .play, ["rtsp.cseq.echo"], "a reply carries another CSeq than its request"),
    onWire(
      "extra-bytes", .rtsp, .running, ["framing.intact"], alsoTrips: ["rtsp.cseq.present", "rtsp.response.single"],
      "bytes that belong to nothing stand between frames"),
    onWire(
      "no-sprop", .sdp, .play, ["sdp.h264.sprop"], alsoTrips: ["media.decodable"],
      "the SDP has no sprop-parameter-sets, nor has the stream"),
    onWire("seq-jump", .rtp, .running, ["rtp.seq"], "the sequence number jumps"),
    onWire("drop", .rtp, .running, ["rtp.seq", "h264.fu"], "RTP packets are never sent"),
    onWire("ssrc-change", .rtp, .running, ["rtp.ssrc.stable"], "the SSRC changes in mid-stream"),
    onWire("wrong-ssrc", .rtp, .play, ["transport.ssrc.match"], "Transport announces another SSRC than the stream's"),
    onWire("empty-payload", .rtp, .running, ["rtp.payload.empty"], "RTP packets without payload"),
    onWire("no-sr", .rtp, .running, ["rtcp.sr.present"], "no sender reports"),
    onWire("bad-sr-time", .rtp, .running, ["rtcp.sr.mapping"], "sender reports whose NTP time does not fit the stream"),
    FaultDefinition(
      "stall", .rtp, at: [.running], arguments: [duration], proof: .fact(.mediaGap),
      trips: ["media.gap", "timing.monotonic"], needsWire: true, "the media stops for a while"),
    onWire("annexb-in-fu", .media, .running, ["h264.no-startcode"], "start codes stand in the RTP payload"),
    onWire("no-key-frame", .media, .play, ["media.decodable"], "no key frame is ever sent"),
  ]
}
