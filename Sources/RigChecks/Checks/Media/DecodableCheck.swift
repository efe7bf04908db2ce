public import RigModel
import RigWire

/// `media.decodable`, as far as the wire tells; decoding itself is the media helper's business.
public struct DecodableCheck: WireCheck {
  public static let info = CheckInfo(
    id: "media.decodable",
    rule: "Media comes after PLAY, a key frame comes soon, and its parameter sets are known by then.",
    reference: "RFC 6184 8.4, RFC 2326 10.5", severity: .error)
  public static let interest = WireInterest([.accessUnits], notes: .parameterSet)

  /// How long media, or any key frame in it, may keep one waiting.
  private static let patience: Int64 = 5_000_000_000
  /// How long the first picture may.
  private static let firstPicture: Int64 = 2_000_000_000

  private struct State: Sendable {
    var sps = false
    var pps = false
    var judged = false
  }
  private var states: [Int: State] = [:]

  public init(_ context: AnalysisContext) {}

  public mutating func see(_ event: WireEvent, in world: borrowing WireWorld, log: inout FindingLog) {
    guard case .accessUnit(let unit) = event, world.streams[unit.stream].codec?.isVideo == true else { return }
    var state = states[unit.stream] ?? start(unit.track, world)
    guard !state.judged else { return }
    state.sps = state.sps || unit.hasSPS
    state.pps = state.pps || unit.hasPPS
    if unit.isKey {
      state.judged = true
      if !state.sps || !state.pps {
        log.note(
          Self.info, "sets", subject: unit.stream, at: unit.first.evidence(ssrc: unit.ssrc),
          message: "the first key frame of \(Hex8(unit.ssrc)) comes before its parameter sets are known")
      }
      let waited = unit.first.time &- world.streams[unit.stream].first.time
      if waited > Self.firstPicture {
        log.note(
          Self.info, "late", subject: unit.stream, at: unit.first.evidence(ssrc: unit.ssrc), severity: .warning,
          message:
            "the first key frame came \(Duration.nanoseconds(waited).text) after the first packet, "
            + "behind \(world.streams[unit.stream].frames) other pictures"
        )
      }
    }
    if states.count < 4096 || states[unit.stream] != nil { states[unit.stream] = state }
  }

  private func start(_ track: Int, _ world: borrowing WireWorld) -> State {
    var state = State()
    guard track >= 0, let media = world.tracks[track].media else { return state }
    for type in media.payloadTypes {
      guard let format = media.fmtp(type) else { continue }
      if world.tracks[track].codec == .h265 {
        let parameters = H265FormatParameters(format)
        if parameters.sequenceParameterSets?.isEmpty == false { state.sps = true }
        if parameters.pictureParameterSets?.isEmpty == false { state.pps = true }
        continue
      }
      let parameters = H264FormatParameters(format)
      if !parameters.sequenceParameterSets.isEmpty { state.sps = true }
      if !parameters.pictureParameterSets.isEmpty { state.pps = true }
    }
    return state
  }

  /// The size that pictures have, against the one that the description promised.
  public mutating func see(
    rtp packet: RTPEvent, payload: RawSpan, in world: borrowing WireWorld, log: inout FindingLog
  ) {
    guard packet.stream >= 0, packet.track >= 0, let promised = world.tracks[packet.track].picture,
      let codec = world.streams[packet.stream].codec,
      let own = PictureFormat(inPayload: payload, codec)
    else { return }
    if own.width != promised.width || own.height != promised.height {
      log.note(
        Self.info, "size \(own)", subject: packet.stream, at: packet.evidence,
        message: "the description promises pictures of \(promised), and a parameter set in band says \(own)")
    } else if let rate = own.rate, let other = promised.rate, abs(rate - other) > 0.01 {
      log.note(
        Self.info, "rate", subject: packet.stream, at: packet.evidence, severity: .warning,
        message:
          "the description promises \(Decimal3(other)) pictures a second, and a parameter set in band says "
          + "\(Decimal3(rate))"
      )
    }
  }

  public mutating func finish(in world: borrowing WireWorld, log: inout FindingLog) {
    for index in world.streams.indices {
      let stream = world.streams[index]
      guard stream.isConfirmed, stream.codec?.isVideo == true, stream.keyFrames == 0 else { continue }
      let seen = stream.last.time &- stream.first.time
      guard seen > Self.patience else { continue }
      log.note(
        Self.info, "key", subject: index, at: stream.last.evidence(ssrc: stream.ssrc),
        message: "no key frame in \(Duration.nanoseconds(seen).text) of \(Hex8(stream.ssrc))")
    }
    for index in world.tracks.indices where world.tracks[index].streams.isEmpty {
      let track = world.tracks[index]
      guard track.session >= 0, let played = world.sessions[track.session].playedAt,
        [.playing, .tornDown].contains(world.sessions[track.session].state)
      else { continue }
      let until = world.sessions[track.session].endedAt?.time ?? world.now
      guard until &- played.time > Self.patience else { continue }
      log.note(
        Self.info, "none", subject: index, at: played.evidence(),
        message:
          "no packet of \(track.url) came in \(Duration.nanoseconds(until &- played.time).text) after PLAY was answered"
      )
    }
  }
}
