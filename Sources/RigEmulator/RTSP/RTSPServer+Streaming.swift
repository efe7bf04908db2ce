import RigLoop
import RigModel
import RigWire

/// Media: each session has one task that sends what is due and sleeps until the next deadline, which is absolute.
extension RTSPServer {
  func play(_ session: RTSPSession) {
    session.isPlaying = true
    session.generation += 1
    session.begin(at: loop.now, reportInterval: options.reportInterval)
    if faults.contains(.noKeyFrame) { skipKeyFrames(session) }
    let id = session.id
    let generation = session.generation
    session.pacing = loop.spawn { await self.pace(id, generation) }
  }

  func pause(_ session: RTSPSession) {
    session.isPlaying = false
    session.generation += 1
    session.pacing?.cancel()
    session.pacing = nil
  }

  /// Ends a session: BYE on what has been sending, sockets closed, timers gone.
  func end(_ session: RTSPSession, _ reason: RTSPSessionEnd) {
    guard sessions.removeValue(forKey: session.id) != nil else { return }
    if !session.mediaEnded, !session.ignoresTeardown { sayGoodbye(session) }
    session.generation += 1
    session.close()
    if let key = session.connection { connections[key]?.carried.remove(session.id) }
    if let key = session.creator { connections[key]?.created.remove(session.id) }
    observer(.ended(id: session.id, reason: reason))
  }

  private func pace(_ id: String, _ generation: Int) async {
    guard let session = sessions[id] else { return }
    while session.generation == generation, !session.mediaEnded {
      guard let next = session.next else { return }
      if stalls(session, at: next.due) { continue }
      if endsEarly(session, at: next.due) { return }
      let now = loop.now
      let due = min(next.due, session.nextReport)
      if due > now {
        do { try await loop.sleep(until: onGrid(due)) } catch { return }
        continue
      }
      if session.nextReport <= now {
        session.nextReport = session.nextReport + options.reportInterval
        for track in session.tracks where track.packetCount > 0 { report(track, of: session) }
      }
      if next.due <= now { send(next.track, of: session) }
    }
  }

  /// The next point of a common grid: sessions that are due at nearly the same time share one wake-up. Deadlines stay
  /// absolute, so nothing drifts.
  private func onGrid(_ time: HostTime) -> HostTime {
    let grid = options.paceGrid.nanoseconds
    guard grid > 1 else { return time }
    let over = time.nanoseconds % grid
    return over == 0 ? time : HostTime(nanoseconds: time.nanoseconds + grid - over)
  }

  // MARK: Units

  /// Sends the unit at the track's cursor, or leaves it out whole.
  private func send(_ track: SessionTrack, of session: RTSPSession) {
    let unit = track.cursor.unit
    defer { track.cursor.advance() }
    let isVideo = track.media.clip.isVideo
    if isVideo, unit.isKey, faults.contains(.noKeyFrame) {
      return acted(.noKeyFrame, in: session, "a key frame was left out")
    }
    if isVideo, faults.contains(.noKeyFrame) { track.needsKey = false }
    let tooSlow = isTooSlow(session)
    if tooSlow || (track.needsKey && !unit.isKey) {
      if tooSlow, session.unitsSkipped == 0 { observer(.readerTooSlow(id: session.id)) }
      track.needsKey = isVideo
      session.unitsSkipped += 1
      counters.unitsSkipped += 1
      return
    }
    track.needsKey = false

    let packets = track.media.payloads[track.cursor.index]
    let timestamp = session.timestamp(track)
    var out = MediaOutput(track.route, capacity: packets.reduce(80) { $0 + $1.count + 16 })
    for (index, payload) in packets.enumerated() {
      // The last packet of an access unit, and of every audio frame, carries the marker (RFC 6184 5.1, RFC 3640 3.1).
      changeSource(track, of: session, timestamp, &out)
      packet(payload, marker: index == packets.count - 1, timestamp, on: track, of: session, &out)
      if track.reports == 0 { report(track, of: session, &out) }
    }
    out.addHeld()
    session.unitsSent += 1
    addGarbage(after: session, &out)
    deliver(&out, session)
    actedOnPayload(session, unit, track)
  }

  func packet(
    _ payload: [UInt8], marker: Bool, _ timestamp: UInt32, on track: SessionTrack, of session: RTSPSession,
    _ out: inout MediaOutput
  ) {
    track.packetsMade += 1
    let sequence = track.sequence
    track.sequence &+= 1
    // What is withheld counts as sent, as it would had the network lost it.
    track.packetCount &+= 1
    track.octetCount &+= UInt32(truncatingIfNeeded: payload.count)
    guard !withholds(track, of: session, sequence) else { return }
    session.packets += 1
    session.payloadBytes += payload.count
    counters.packets += 1
    counters.payloadBytes += payload.count
    var header = RTPHeader(
      payloadType: track.media.payloadType, marker: marker, sequence: sequence, timestamp: timestamp, ssrc: track.ssrc)
    guard !faults.isEmpty, let deviation = deviation(&header, payload, on: track, of: session) else {
      out.addRTP(header, payload)
      return out.addHeld()
    }
    out.addRTP(header, payload, deviation)
  }

  /// Whether the connection of an interleaved session has more waiting than it may.
  private func isTooSlow(_ session: RTSPSession) -> Bool {
    guard let key = session.connection, let connection = connections[key] else { return false }
    return connection.queue.byteCount > options.queueLimit
  }

  func deliver(_ out: inout MediaOutput, _ session: RTSPSession) {
    counters.sendErrors += out.refused
    guard !out.interleaved.isEmpty, let key = session.connection, let connection = connections[key] else { return }
    write(out.interleaved, to: connection)
  }

  // MARK: Reports

  private func report(_ track: SessionTrack, of session: RTSPSession) {
    var out = MediaOutput(track.route)
    report(track, of: session, &out)
    deliver(&out, session)
  }

  private func report(_ track: SessionTrack, of session: RTSPSession, _ out: inout MediaOutput) {
    guard !faults.contains(.noSR) else {
      return acted(.noSR, in: session, "a sender report was left out")
    }
    out.addRTCP(senderReport(track, of: session))
    track.reports += 1
  }

  /// BYE on each track that has sent (RFC 3550 6.6), in a compound packet.
  func sayGoodbye(_ session: RTSPSession) {
    for track in session.tracks where track.packetsMade > 0 {
      var out = MediaOutput(track.route)
      out.addRTCP(goodbye(track, of: session))
      deliver(&out, session)
    }
  }
}
