import RigModel

/// What faults do to RTP, RTCP and the pace.
extension RTSPServer {
  /// Moves the video behind the key frame it would start with.
  func skipKeyFrames(_ session: RTSPSession) {
    for track in session.tracks where track.media.clip.isVideo && track.cursor.unit.isKey { track.cursor.advance() }
  }

  /// Shifts the pace where a stall is due.
  func stalls(_ session: RTSPSession, at due: HostTime) -> Bool {
    for fault in faults.list {
      guard case .stall(let after, let length) = fault, !session.faultsActed.contains(fault.name),
        due >= session.played + after
      else { continue }
      session.segmentHost = session.segmentHost + length
      session.nextReport = max(session.nextReport, due + length)
      acted(fault, in: session, "nothing is sent for \(length.text)")
      return true
    }
    return false
  }

  /// Says goodbye where an early BYE is due.
  func endsEarly(_ session: RTSPSession, at due: HostTime) -> Bool {
    for fault in faults.list {
      guard case .earlyBye(let after) = fault, due >= session.played + after else { continue }
      // What was due before has been sent; the BYE is on time when it follows the last unit.
      sayGoodbye(session)
      session.mediaEnded = true
      acted(fault, in: session, "BYE on \(session.tracks.count) tracks")
      return true
    }
    return false
  }

  /// Before a packet: another SSRC, a jump of the sequence number, an empty packet.
  func changeSource(
    _ track: SessionTrack, of session: RTSPSession, _ timestamp: UInt32, _ out: inout MediaOutput
  ) {
    guard !faults.isEmpty else { return }
    for fault in faults.list {
      switch fault {
      case .ssrcChange(let after) where track.packetsMade == after:
        let old = track.ssrc
        track.ssrc = UInt32(truncatingIfNeeded: session.random.next())
        acted(fault, in: session, "SSRC \(old) became \(track.ssrc) at sequence number \(track.sequence)")
      case .seqJump(let after, let by) where track.packetsMade == after:
        let old = track.sequence
        track.sequence &+= by
        acted(fault, in: session, "sequence number \(old) became \(track.sequence), SSRC \(track.ssrc)")
      case .emptyPayload(let after) where track.packetsMade == after:
        acted(fault, in: session, "empty payload at sequence number \(track.sequence), SSRC \(track.ssrc)")
        packet([], marker: false, timestamp, on: track, of: session, &out)
      default: break
      }
    }
  }

  func withholds(_ track: SessionTrack, of session: RTSPSession, _ sequence: UInt16) -> Bool {
    for fault in faults.list {
      guard case .dropPackets(let every) = fault, every > 0, track.packetsMade % every == 0 else { continue }
      acted(fault, in: session, "sequence number \(sequence) was not sent, SSRC \(track.ssrc)")
      return true
    }
    return false
  }

  func addGarbage(after session: RTSPSession, _ out: inout MediaOutput) {
    for fault in faults.list {
      guard case .garbageBetweenFrames(let every, let count) = fault, every > 0, session.unitsSent % every == 0,
        session.transport == .interleaved
      else { continue }
      // Neither `$` nor the letter of a response: nothing that could begin a frame or a message.
      out.addGarbage((0..<count).map { _ in UInt8(truncatingIfNeeded: session.random.next()) | 0x80 })
      acted(fault, in: session, "\(count) bytes after access unit \(session.unitsSent)")
    }
  }

  /// Tells of payload faults once a unit that shows them has left.
  func actedOnPayload(_ session: RTSPSession, _ unit: ClipTrack.Unit, _ track: SessionTrack) {
    guard track.media.clip.isVideo else { return }
    // Fragmentation units are those of type 28 (RFC 6184 5.8).
    if session.clip.hasStartCodes, track.media.payloads[track.cursor.index].contains(where: { $0[0] & 31 == 28 }) {
      acted(.annexBInFU, in: session, "start codes in SSRC \(track.ssrc)")
    }
    if !session.clip.hasParameterSets, unit.isKey {
      acted(.noParameterSets, in: session, "a key frame without parameter sets, SSRC \(track.ssrc)")
    }
  }

  /// Nanoseconds by which the NTP time of this report is off.
  func reportError(_ track: SessionTrack, of session: RTSPSession) -> Int64 {
    for fault in faults.list {
      guard case .badSRTime(let offset) = fault, track.reports > 0 else { continue }
      acted(fault, in: session, "NTP time off by \(offset.text), SSRC \(track.ssrc)")
      return offset.nanoseconds
    }
    return 0
  }
}
