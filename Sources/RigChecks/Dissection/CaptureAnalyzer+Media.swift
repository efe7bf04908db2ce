import RigBytes
import RigWire

extension CaptureAnalyzer {
  /// How long packets may trail behind the end of a session, and how long a playing stream may be silent.
  static let endGrace: Int64 = 2_000_000_000
  static let longestSilence: Int64 = 2_000_000_000

  /// Takes a packet of a flow or channel that carries RTP.
  mutating func seeRTP(_ route: Int, _ bytes: RawSpan, _ range: Range<Int>, _ place: WirePlace) {
    let packet = bytes.extracting(range)
    let header: RTPHeader
    do throws(RTPHeaderError) {
      header = try RTPHeader(parsing: packet)
    } catch {
      if routes[route].track >= 0 { noteUnreadable(route, packet, error, place) }
      return
    }
    let track = routes[route].track
    var event = RTPEvent(
      place: place, stream: -1, track: track, ssrc: header.ssrc, sequence: header.sequence,
      timestamp: header.timestamp, payloadType: header.payloadType, marker: header.marker, notes: [], missing: 0,
      timestampStep: 0)
    let stream: Int
    if routes[route].lastStream >= 0, routes[route].lastSSRC == header.ssrc {
      stream = routes[route].lastStream
    } else {
      stream = findStream(route, header, place, &event.notes)
      guard stream >= 0 else { return }
    }
    event.stream = stream
    switch header.flaw {
    case nil: break
    case .csrcOverrun, .extensionOverrun: event.notes.insert(.badExtension)
    case .padding: event.notes.insert(.badPadding)
    }
    if header.payload.isEmpty { event.notes.insert(.emptyPayload) }
    if isReassembled { event.notes.insert(.fragmented) }
    if range.count > (routes[route].channel == nil ? 1472 : 2048) { event.notes.insert(.oversize) }
    if track >= 0 { noteTrack(&event) }
    let before = world.streams[stream].last
    let aac = track >= 0 ? world.tracks[track].aac : nil
    let unit = world.streams[stream].see(&event, header, in: packet, aac: aac)
    if isCut { event.notes.subtract(.needWholePacket) }
    if world.streams[stream].isConfirmed {
      mediaPackets += 1
      lastMediaTime = place.time
    } else {
      confirm(stream, event)
      guard world.streams[stream].isConfirmed else { return }
    }
    if place.time &- before.time > Self.longestSilence, isPlayingSince(track, before.time) {
      emit(.silence(stream: stream, from: before, until: place, resumed: true))
    }
    if pictures != nil { pictures?.take(event, packet.extracting(header.payload), world) }
    dispatch(event, packet, header.payload)
    if let unit { emit(.accessUnit(unit)) }
  }

  @inline(__always)
  private mutating func dispatch(_ event: RTPEvent, _ bytes: RawSpan, _ payload: Range<Int>) {
    guard !everyPacket.isEmpty || !event.notes.isEmpty else { return }
    let span = bytes.extracting(payload)
    for check in everyPacket { checks[check].see(rtp: event, payload: span, in: world, log: &log) }
    guard !event.notes.isEmpty else { return }
    for (check, notes) in noted where !notes.isDisjoint(with: event.notes) {
      checks[check].see(rtp: event, payload: span, in: world, log: &log)
    }
  }

  /// Bytes where RTP was agreed on, and that are none.
  private mutating func noteUnreadable(
    _ route: Int, _ packet: RawSpan, _ error: RTPHeaderError, _ place: WirePlace
  ) {
    var event = RTPEvent(
      place: place, stream: routes[route].lastStream, track: routes[route].track, ssrc: packet.u32(at: 8) ?? 0,
      sequence: packet.u16(at: 2) ?? 0, timestamp: packet.u32(at: 4) ?? 0, payloadType: 0, marker: false, notes: [],
      missing: 0, timestampStep: 0)
    switch error {
    case .tooShort: event.notes = .tooShort
    case .version: event.notes = .badVersion
    }
    dispatch(event, packet, packet.byteCount..<packet.byteCount)
  }

  @inline(__always)
  private func noteTrack(_ event: inout RTPEvent) {
    let types = world.tracks[event.track].payloadTypes
    if !types.isEmpty, !types.contains(event.payloadType) { event.notes.insert(.unknownPayloadType) }
    let session = world.tracks[event.track].session
    if session >= 0, let ended = world.sessions[session].endedAt, event.place.time &- ended.time > Self.endGrace {
      event.notes.insert(.afterEnd)
    }
  }

  private mutating func findStream(
    _ route: Int, _ header: RTPHeader, _ place: WirePlace, _ notes: inout RTPNotes
  ) -> Int {
    if let known = routes[route].streams.first(where: { $0.ssrc == header.ssrc }) {
      routes[route].lastSSRC = known.ssrc
      routes[route].lastStream = known.index
      return known.index
    }
    let track = routes[route].track
    if track < 0, routes[route].streams.count >= 8,
      !routes[route].streams.contains(where: { world.streams[$0.index].isConfirmed })
    {
      // A new "source" with every packet: not RTP after all.
      routes[route].role = .ignored
      return -1
    }
    if freeStreams.isEmpty, world.streams.count >= WireWorld.streamLimit, maySearch() {
      dropGuessedStreams(before: place.time)
    }
    guard routes[route].streams.count < Route.streamLimit,
      !freeStreams.isEmpty || world.streams.count < WireWorld.streamLimit
    else {
      world.ignored += 1
      return -1
    }
    let format = format(of: track, payloadType: header.payloadType)
    var stream = MediaStream(
      ssrc: header.ssrc, flow: routes[route].flow, channel: routes[route].channel, track: track,
      payloadType: header.payloadType, codec: format.codec, clockRate: format.clockRate, place: place,
      isConfirmed: track >= 0)
    if track >= 0 {
      stream.packetizationMode = world.tracks[track].packetizationMode ?? -1
      stream.promisesOrder = world.tracks[track].promisesOrder
    }
    let index = freeStreams.popLast() ?? world.streams.count
    if index == world.streams.count { world.streams.append(stream) } else { world.streams[index] = stream }
    routes[route].streams.append((header.ssrc, index))
    routes[route].lastSSRC = header.ssrc
    routes[route].lastStream = index
    if track >= 0 {
      if !world.tracks[track].streams.isEmpty { notes.insert(.newSSRC) }
      if world.tracks[track].streams.count < Route.streamLimit { world.tracks[track].streams.append(index) }
    }
    return index
  }

  /// Makes room: forgets streams by looks that nothing confirmed in the last ten seconds, and their flows.
  private mutating func dropGuessedStreams(before now: Int64) {
    for (flow, index) in flowIndex where routes[index].role == .rtp && routes[index].track < 0 {
      let streams = routes[index].streams
      guard
        streams.allSatisfy({ stream in
          !world.streams[stream.index].isConfirmed
            && now &- world.streams[stream.index].last.time > 10_000_000_000
        })
      else { continue }
      freeStreams += streams.map(\.index)
      flowIndex[flow] = nil
      freeRoutes.append(index)
    }
    lastFlow = nil
  }

  private func format(of track: Int, payloadType: UInt8) -> (codec: MediaCodec?, clockRate: UInt32) {
    if track >= 0 {
      if let map = world.tracks[track].media?.rtpmap(payloadType) {
        return (MediaCodec(encoding: map.encoding), map.clockRate)
      }
      return (world.tracks[track].codec, world.tracks[track].clockRate)
    }
    if let map = SDPMedia(kind: "", formats: []).rtpmap(payloadType) {
      return (MediaCodec(encoding: map.encoding), map.clockRate)
    }
    return (nil, 90_000)
  }

  /// A stream by its looks is one when three packets in a row are numbered in order.
  private mutating func confirm(_ stream: Int, _ event: RTPEvent) {
    guard world.streams[stream].packets >= 3, world.streams[stream].sequence.received >= 3, event.notes.isEmpty else {
      return
    }
    world.streams[stream].isConfirmed = true
    mediaPackets += world.streams[stream].packets
    lastMediaTime = event.place.time
  }

  /// Whether the track's session was playing at `time` and has not been paused or ended since; true without a session.
  private func isPlayingSince(_ track: Int, _ time: Int64) -> Bool {
    guard track >= 0 else { return true }
    let index = world.tracks[track].session
    guard index >= 0 else { return false }
    let session = world.sessions[index]
    guard session.state == .playing, let played = session.playedAt else { return false }
    return played.time <= time
  }

  /// Ends every stream: its last access unit, and a silence that lasts to the end of the capture.
  mutating func finishStreams() {
    for stream in world.streams.indices where world.streams[stream].isConfirmed {
      if let unit = world.streams[stream].finish() { emit(.accessUnit(unit)) }
      let last = world.streams[stream].last
      let track = world.streams[stream].track
      guard track >= 0, world.now &- last.time > Self.longestSilence, isPlayingSince(track, last.time),
        world.tracks[track].sourceBye == nil, world.tracks[track].streams.last == stream,
        !isConnectionOver(world.tracks[track].connection)
      else { continue }
      let end = WirePlace(frame: world.lastFrame, time: world.now)
      emit(.silence(stream: stream, from: last, until: end, resumed: false))
    }
  }

  private func isConnectionOver(_ connection: Int) -> Bool {
    connections.indices.contains(connection) && (connections[connection].isEnded || connections[connection].isClosed)
  }
}
