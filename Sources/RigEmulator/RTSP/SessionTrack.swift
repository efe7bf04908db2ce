import RigLoop
import RigModel

/// One track of one session: where it goes, and the RTP state of its source (RFC 3550 5.1).
///
/// Confined to the server's actor.
final class SessionTrack {
  enum Route {
    case udp(UDPRoute)
    case interleaved(rtp: UInt8, rtcp: UInt8)
  }

  /// The server's pair of sockets and the client's pair of ports.
  final class UDPRoute {
    let rtp: UDPSocket
    let rtcp: UDPSocket
    let peerRTP: SocketAddress
    let peerRTCP: SocketAddress
    init(rtp: UDPSocket, rtcp: UDPSocket, peerRTP: SocketAddress, peerRTCP: SocketAddress) {
      self.rtp = rtp
      self.rtcp = rtcp
      self.peerRTP = peerRTP
      self.peerRTCP = peerRTCP
    }
    func close() {
      rtp.close()
      rtcp.close()
    }
  }

  let media: PreparedClip.Track
  var route: Route
  var cursor: ClipCursor
  var ssrc: UInt32
  /// Of the next packet.
  var sequence: UInt16
  /// The RTP time stamp of the session's origin.
  let timestampBase: UInt32
  /// What the sender reports count (RFC 3550 6.4.1); both wrap.
  var packetCount: UInt32 = 0
  var octetCount: UInt32 = 0
  /// Packets made, withheld ones included.
  var packetsMade = 0
  var reports = 0
  /// What a fault adds to time stamps.
  var timestampShift: UInt32 = 0
  /// Of the packet before; `nil`: there was none.
  var lastTimestamp: UInt32?
  /// Units are left out until the next key frame.
  var needsKey = false

  init(_ media: PreparedClip.Track, route: Route, random: inout SplitMix64) {
    self.media = media
    self.route = route
    cursor = ClipCursor(media.clip)
    ssrc = UInt32(truncatingIfNeeded: random.next())
    // Away from the wrap by half the range, as RFC 3711 asks and no receiver minds.
    sequence = UInt16(truncatingIfNeeded: random.next() & 0x7FFF)
    timestampBase = UInt32(truncatingIfNeeded: random.next())
  }

  func close() { if case .udp(let route) = route { route.close() } }
}
