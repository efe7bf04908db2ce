import RigLoop
import RigModel
import RigWire

/// RTCP of the sending side (RFC 3550 6).
extension RTSPServer {
  /// SR and SDES; its NTP and RTP times name the same moment, by one anchor for the whole life of the server.
  func senderReport(_ track: SessionTrack, of session: RTSPSession) -> [UInt8] {
    let now = loop.now
    let wall = wallClock(at: now) &+ reportError(track, of: session)
    return RTCPPacket.compound([
      .senderReport(
        .init(
          ssrc: track.ssrc, ntp: NTPTime(unixNanoseconds: wall), rtpTime: session.timestamp(track, at: now),
          packetCount: track.packetCount, octetCount: track.octetCount)),
      description(track, of: session),
    ])
  }

  /// A report, SDES and BYE (RFC 3550 6.6); an empty RR where sender reports are withheld.
  func goodbye(_ track: SessionTrack, of session: RTSPSession) -> [UInt8] {
    let bye = RTCPPacket.bye(ssrcs: [track.ssrc], reason: nil)
    if faults.contains(.noSR) {
      return RTCPPacket.compound([
        .receiverReport(.init(ssrc: track.ssrc)), description(track, of: session), bye,
      ])
    }
    return senderReport(track, of: session) + bye.bytes
  }

  /// One CNAME for all tracks of a session ties them to one clock (RFC 3550 6.5.1).
  private func description(_ track: SessionTrack, of session: RTSPSession) -> RTCPPacket {
    .sourceDescription([.init(ssrc: track.ssrc, cname: "\(session.id)@\(address?.host ?? "emulator")")])
  }
}
