import RigModel
import RigWire

/// How one RTP packet differs from what it should be, beyond what its header says.
struct PacketDeviation {
  /// Sent once more, after the packet that follows it.
  var comesAgain = false
  /// Sent after the packet that follows it.
  var isHeld = false
  /// Bytes of padding; 0: none.
  var padding: UInt8 = 0
  /// The interleaved channel in place of the track's own.
  var channel: UInt8?
}

extension RTSPServer {
  /// Changes the header of a packet as the faults in force want it; `nil` where nothing but the header changes.
  func deviation(
    _ header: inout RTPHeader, _ payload: [UInt8], on track: SessionTrack, of session: RTSPSession
  ) -> PacketDeviation? {
    var deviation = PacketDeviation()
    var differs = false
    let count = track.packetsMade
    let place = "sequence number \(header.sequence), SSRC \(header.ssrc)"
    header.timestamp &+= track.timestampShift
    for fault in faults.list {
      switch fault {
      case .duplicatePackets(let every) where every > 0 && count % every == 0 && !header.marker:
        deviation.comesAgain = true
      case .reorderPackets(let every) where every > 0 && count % every == 0 && !header.marker:
        deviation.isHeld = true
      case .padding(let every, let bytes) where every > 0 && bytes > 0 && count % every == 0:
        deviation.padding = bytes
      case .unknownChannel(let every) where every > 0 && count % every == 0 && session.transport == .interleaved:
        // SETUP hands out what clients ask for, and they ask for low numbers.
        deviation.channel = 250
      case .wrongPayloadType(let every) where every > 0 && count % every == 0:
        header.payloadType = 120
        acted(fault, in: session, "payload type 120 at \(place)")
        continue
      case .timestampJump(let after, let by)
      where count > after && track.timestampShift == 0 && track.lastTimestamp != header.timestamp:
        track.timestampShift = UInt32(truncatingIfNeeded: track.media.clip.ticks(nanoseconds: by.nanoseconds))
        header.timestamp &+= track.timestampShift
        acted(fault, in: session, "time stamps moved by \(by.text) from \(place)")
        continue
      case .markerPerNAL where track.media.clip.isVideo && !header.marker && endsNALUnit(payload):
        header.marker = true
        acted(fault, in: session, "marker at \(place)")
        continue
      case .oversize where payload.count > options.payloadLimit:
        acted(fault, in: session, "\(payload.count) bytes of payload at \(place)")
        continue
      default: continue
      }
      differs = true
      acted(fault, in: session, place)
    }
    track.lastTimestamp = header.timestamp &- track.timestampShift
    return differs ? deviation : nil
  }

  /// Anything but a fragment that others follow (RFC 6184 5.8).
  private func endsNALUnit(_ payload: [UInt8]) -> Bool {
    guard payload.count >= 2, payload[0] & 31 == 28 else { return !payload.isEmpty }
    return payload[1] & 0x40 != 0
  }
}
