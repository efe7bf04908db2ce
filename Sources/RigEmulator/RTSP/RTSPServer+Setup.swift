import RigBytes
import RigLoop
import RigModel
import RigWire

/// SETUP (RFC 2326 10.4): transports, sessions and the sockets behind them.
extension RTSPServer {
  func setUp(
    _ request: RTSPMessage, _ target: RTSPTarget, _ session: RTSPSession?, _ connection: RTSPConnection
  ) -> RTSPReply {
    let clip = session?.clip ?? prepared
    let media: PreparedClip.Track
    switch target {
    case .server: return RTSPReply(404)
    case .presentation:
      // Only where there is one track does the presentation's own URL say which.
      guard clip.tracks.count == 1 else { return RTSPReply(459, [:], session) }
      media = clip.tracks[0]
    case .track(let index): media = clip.tracks[index]
    }
    guard session?.isPlaying != true else { return RTSPReply(455, [:], session) }
    guard let header = request.headers["Transport"] else { return RTSPReply(400, [:], session) }
    let wanted = TransportHeader.parse(header).first { isAcceptable($0) }
    guard let wanted else { return RTSPReply(461, [:], session) }
    guard session != nil || mayCreateSession(connection) else { return RTSPReply(453) }

    var answered = TransportHeader(lower: wanted.lower)
    let route: SessionTrack.Route
    switch wanted.lower {
    case .udp:
      guard let made = udpRoute(wanted, connection) else { return RTSPReply(500, [:], session) }
      answered.clientPorts = TransportHeader.Pair(made.peerRTP.port, made.peerRTCP.port)
      answered.serverPorts = TransportHeader.Pair(made.rtp.address.port, made.rtcp.address.port)
      route = .udp(made)
    case .tcp:
      guard session?.connection == nil || session?.connection == connection.key else {
        return RTSPReply(461, [:], session)
      }
      guard let channels = channels(wanted, media, session, connection) else { return RTSPReply(461, [:], session) }
      answered.interleaved = TransportHeader.Pair(UInt16(channels.rtp), UInt16(channels.rtcp))
      route = .interleaved(rtp: channels.rtp, rtcp: channels.rtcp)
    }

    let session = session ?? createSession(clip, connection)
    let track = SessionTrack(media, route: route, random: &session.random)
    if let old = session.tracks.firstIndex(where: { $0.media.index == media.index }) {
      session.tracks[old].close()
      session.tracks[old] = track
    } else {
      session.tracks.append(track)
      session.tracks.sort { $0.media.index < $1.media.index }
    }
    if case .tcp = wanted.lower {
      session.connection = connection.key
      connection.carried.insert(session.id)
    }
    if case .udp(let route) = route { listen(route, session.id) }

    answered.ssrc = track.ssrc
    if faults.contains(.wrongSSRCInTransport) {
      answered.ssrc = ~track.ssrc
      acted(.wrongSSRCInTransport, in: session, "SSRC \(~track.ssrc) announced, \(track.ssrc) sent")
    }
    return RTSPReply(200, ["Transport": answered.text], session)
  }

  private func isAcceptable(_ transport: TransportHeader) -> Bool {
    guard ASCII.equal(transport.profile, "RTP/AVP"), transport.delivery != .multicast,
      transport.mode.map({ ASCII.equal($0, "PLAY") }) ?? true
    else { return false }
    switch transport.lower {
    case .udp: return (transport.clientPorts?.first ?? 0) > 0
    case .tcp: return [transport.interleaved?.first, transport.interleaved?.second].allSatisfy { ($0 ?? 0) < 256 }
    }
  }

  // MARK: UDP

  /// A pair of neighbouring ports, the even one for RTP (RFC 3550 11), on the address that the client reached.
  private func udpRoute(_ wanted: TransportHeader, _ connection: RTSPConnection) -> SessionTrack.UDPRoute? {
    guard let ports = wanted.clientPorts else { return nil }
    let rtcpPort = ports.second ?? ports.first &+ 1
    guard rtcpPort > 0, let peerRTP = SocketAddress(host: connection.peer.host, port: ports.first),
      let peerRTCP = SocketAddress(host: connection.peer.host, port: rtcpPort)
    else { return nil }
    let low = Int(options.serverPorts.lowerBound)
    let pairs = max(1, (Int(options.serverPorts.upperBound) - low) / 2)
    for _ in 0..<64 {
      let even = (low + Int.random(in: 0..<pairs, using: &random) * 2 + 1) & ~1
      guard let rtpPort = UInt16(exactly: even), rtpPort < UInt16.max,
        let rtpAddress = SocketAddress(host: connection.local.host, port: rtpPort),
        let rtcpAddress = SocketAddress(host: connection.local.host, port: rtpPort + 1),
        let rtp = try? UDPSocket(loop, on: rtpAddress), let rtcp = try? UDPSocket(loop, on: rtcpAddress)
      else { continue }
      return SessionTrack.UDPRoute(rtp: rtp, rtcp: rtcp, peerRTP: peerRTP, peerRTCP: peerRTCP)
    }
    return nil
  }

  private func listen(_ route: SessionTrack.UDPRoute, _ id: String) {
    let socket = route.rtcp
    let host = route.peerRTCP.host
    loop.spawn { await self.receiveReports(socket, from: host, id) }
  }

  /// Receiver reports keep a session alive; what others send does not.
  private func receiveReports(_ socket: UDPSocket, from host: String, _ id: String) async {
    while let datagram = try? await socket.receive() {
      guard let session = sessions[id] else { return }
      guard datagram.from.host == host, datagram.bytes.count >= 8, datagram.bytes[0] >> 6 == 2 else { continue }
      counters.reportsReceived += 1
      session.lastActivity = loop.now
    }
  }

  // MARK: Interleaved

  /// The channels that the client asked for, or the first free pair where it asked for none or for taken ones.
  private func channels(
    _ wanted: TransportHeader, _ media: PreparedClip.Track, _ session: RTSPSession?, _ connection: RTSPConnection
  ) -> (rtp: UInt8, rtcp: UInt8)? {
    var taken: Set<UInt8> = []
    for other in carried(by: connection) {
      for track in other.tracks where !(other === session && track.media.index == media.index) {
        if case .interleaved(let rtp, let rtcp) = track.route { taken.formUnion([rtp, rtcp]) }
      }
    }
    if let pair = wanted.interleaved, let rtp = UInt8(exactly: pair.first),
      let rtcp = UInt8(exactly: pair.second ?? pair.first &+ 1), rtp != rtcp, taken.isDisjoint(with: [rtp, rtcp])
    {
      return (rtp, rtcp)
    }
    for rtp in stride(from: UInt8(0), through: 254, by: 2) where taken.isDisjoint(with: [rtp, rtp + 1]) {
      return (rtp, rtp + 1)
    }
    return nil
  }

  // MARK: Sessions

  private func mayCreateSession(_ connection: RTSPConnection) -> Bool {
    sessions.count < options.maximumSessions && connection.created.count < options.maximumSessionsPerConnection
  }

  private func createSession(_ clip: PreparedClip, _ connection: RTSPConnection) -> RTSPSession {
    counters.sessionsCreated += 1
    var timeout = options.sessionTimeout
    var expiry = options.expiry ?? .seconds(timeout)
    let announced = faults.announcedTimeout
    if let announced {
      timeout = announced
      expiry = .seconds(announced)
    }
    let bytes = (0..<8).map { _ in UInt8(truncatingIfNeeded: random.next() >> 32) }
    let session = RTSPSession(
      id: ASCII.hex(bytes), number: counters.sessionsCreated, clip: clip, timeout: timeout, expiry: expiry,
      now: loop.now, random: random.split())
    session.creator = connection.key
    connection.created.insert(session.id)
    sessions[session.id] = session
    let id = session.id
    session.expiring = loop.spawn { await self.expire(id) }
    observer(.sessionCreated(id: id))
    if let announced { acted(.shortTimeout(seconds: announced), in: session, "session timeout \(announced) s") }
    return session
  }

  /// Ends the session once it has been silent for its timeout (RFC 2326 12.37).
  private func expire(_ id: String) async {
    while let session = sessions[id] {
      let deadline = session.lastActivity + session.expiry
      if deadline <= loop.now { return end(session, .expired) }
      do { try await loop.sleep(until: deadline) } catch { return }
    }
  }
}
