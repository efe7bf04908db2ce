import RigBytes
import RigWire

extension CaptureAnalyzer {
  /// What a server's response changes: descriptions, tracks, session states.
  mutating func apply(_ response: RTSPResponse) {
    guard let request = response.request else { return }
    if response.status == 454 { refuse(request, response.place) }
    guard response.isSuccess else { return }
    switch request.method {
    case "DESCRIBE": describe(response, request)
    case "SETUP": setUp(response, request)
    case "PLAY", "RECORD": play(response, request)
    case "PAUSE":
      if let index = session(of: request.message, on: request.connection) { change(index, to: .paused, response.place) }
    case "TEARDOWN": endSession(of: request, response.place)
    default: break
    }
  }

  func session(of message: RTSPMessage, on connection: Int) -> Int? {
    guard let id = message.session?.id, !id.isEmpty else {
      // Some clients leave the header out where a connection has one session only.
      let all = connections[connection].sessions
      return message.isRequest && all.count == 1 && message.method != "SETUP" && message.method != "DESCRIBE"
        ? all.first?.value : nil
    }
    return sessionIndex[SessionKey(server: connections[connection].server.address, id: id)]
  }

  private mutating func describe(_ response: RTSPResponse, _ request: RTSPRequest) {
    guard !response.message.body.isEmpty else { return }
    let description = SDPSession(parsing: response.message.body)
    let base = RTSPURL.controlBase(response: response.message.headers, requestURL: request.url).base
    if connections[request.connection].descriptions.count >= 16 {
      connections[request.connection].descriptions.removeFirst()
    }
    connections[request.connection].descriptions.append((base, description))
    emit(.description(description, response: response))
  }

  private mutating func setUp(_ response: RTSPResponse, _ request: RTSPRequest) {
    let connection = request.connection
    let answered = response.message.headers["Transport"].flatMap { TransportHeader.parse($0).first }
    let asked = request.message.headers["Transport"].flatMap { TransportHeader.parse($0).first }
    guard let header = answered ?? asked, world.tracks.count < WireWorld.trackLimit else { return }
    guard let session = findOrMakeSession(response, request) else { return }
    let media = findMedia(request.url, on: connection)
    let map = media?.primary
    let codec = map.map { MediaCodec(encoding: $0.encoding) }
    let index = world.tracks.count
    var track = MediaTrack(
      connection: connection, session: session, url: request.url, transport: .interleaved(channel: 0), header: header,
      media: media, codec: codec, clockRate: map?.clockRate ?? 90_000, ssrc: header.ssrc, place: response.place)
    track.payloadTypes = media?.payloadTypes ?? []
    if codec == .aac, let media, let type = media.payloadTypes.first, let fmtp = media.fmtp(type) {
      track.aac = AACFormatParameters(fmtp)
    }
    track.readFormat()
    connections[connection].hasTracks = true
    let client = connections[connection].client.address
    let server = connections[connection].server.address
    if header.lower == .tcp {
      let channels = header.interleaved ?? asked?.interleaved ?? TransportHeader.Pair(0, 1)
      let first = UInt8(truncatingIfNeeded: channels.first)
      let second = UInt8(truncatingIfNeeded: channels.second ?? channels.first &+ 1)
      track.transport = .interleaved(channel: first)
      assign(first, ChannelAssignment(track: index, isRTCP: false), on: connection)
      assign(second, ChannelAssignment(track: index, isRTCP: true), on: connection)
      for channels in [asked?.interleaved, header.interleaved].compactMap({ $0 }) {
        connections[connection].asked.remove(UInt8(truncatingIfNeeded: channels.first))
        connections[connection].asked.remove(UInt8(truncatingIfNeeded: channels.second ?? channels.first &+ 1))
      }
    } else if header.delivery == .multicast, let ports = header.ports,
      let group = header.destination.flatMap({ IPAddress($0) })
    {
      track.transport = .multicast(port: ports.first)
      expect(ports, at: group, track: index)
    } else {
      let ports = header.clientPorts ?? asked?.clientPorts ?? TransportHeader.Pair(0)
      track.transport = .udp(clientPort: ports.first, serverPort: header.serverPorts?.first)
      // Behind an address translator the media goes where the reply says; else to the client itself.
      let target = header.destination.flatMap { IPAddress($0) } ?? client
      expect(ports, at: target, track: index)
      if let serverPorts = header.serverPorts {
        let source = header.source.flatMap { IPAddress($0) } ?? server
        for (port, isRTCP) in pair(serverPorts) {
          serverEndpoint(Endpoint(source, port), ChannelAssignment(track: index, isRTCP: isRTCP))
        }
      }
    }
    world.tracks.append(track)
    world.sessions[session].tracks.append(index)
    emit(.track(index, response: response))
  }

  private func pair(_ ports: TransportHeader.Pair) -> [(port: UInt16, isRTCP: Bool)] {
    [(ports.first, false), (ports.second ?? ports.first &+ 1, true)]
  }

  private mutating func expect(_ ports: TransportHeader.Pair, at address: IPAddress, track: Int) {
    var endpoints: [Endpoint] = []
    for (port, isRTCP) in pair(ports) where port != 0 {
      endpoints.append(Endpoint(address, port))
      mediaTargets[Endpoint(address, port)] = ChannelAssignment(track: track, isRTCP: isRTCP)
    }
    forgetFlows(touching: endpoints)
  }

  private mutating func serverEndpoint(_ endpoint: Endpoint, _ assignment: ChannelAssignment) {
    serverPorts[endpoint] = assignment
    forgetFlows(touching: [endpoint])
  }

  private mutating func assign(_ channel: UInt8, _ assignment: ChannelAssignment, on connection: Int) {
    connections[connection].assigned[channel] = assignment
    // A channel that is assigned anew begins a new route.
    for side in 0..<2 { connections[connection].sides[side].routes[channel] = nil }
  }

  private mutating func findOrMakeSession(_ response: RTSPResponse, _ request: RTSPRequest) -> Int? {
    let connection = request.connection
    // Without a session header the tracks of one connection still belong together.
    let header = response.message.session
    let id = header?.id ?? request.message.session?.id ?? ""
    let key = SessionKey(server: connections[connection].server.address, id: id)
    let known = id.isEmpty ? connections[connection].sessions[id] : sessionIndex[key]
    if let known, !world.sessions[known].isOver {
      if let timeout = header?.timeout {
        world.sessions[known].timeout = timeout
        world.sessions[known].statesTimeout = true
      }
      return known
    }
    guard world.sessions.count < WireWorld.sessionLimit else {
      world.ignored += 1
      return nil
    }
    let index = world.sessions.count
    world.sessions.append(
      RTSPSession(
        id: id, server: connections[connection].server, client: connections[connection].client,
        connection: connection, timeout: header?.effectiveTimeout ?? 60, statesTimeout: header?.timeout != nil,
        lastSign: response.place.time))
    sessionIndex[key] = index
    connections[connection].sessions[id] = index
    return index
  }

  /// The media section whose control URL, resolved either way, is `url`.
  private func findMedia(_ url: String, on connection: Int) -> SDPMedia? {
    let wanted = trimmed(url)
    for (base, description) in connections[connection].descriptions.reversed() {
      for media in description.media where media.control != nil {
        let candidates = [RTSPURL.ControlResolution.append, .strict].map {
          trimmed(RTSPURL.resolve(control: media.control, base: base, $0))
        }
        if candidates.contains(wanted) { return media }
      }
      // Servers behind a translator name another host: compare what follows the path's last part.
      if let media = description.media.first(where: { media in
        guard let control = media.control, !control.isEmpty, control != "*" else { return false }
        return wanted.hasSuffix("/" + trimmed(control))
      }) {
        return media
      }
      if description.media.count == 1 { return description.media[0] }
    }
    return nil
  }

  private func trimmed(_ url: String) -> String { url.hasSuffix("/") ? String(url.dropLast()) : url }

  private mutating func play(_ response: RTSPResponse, _ request: RTSPRequest) {
    guard let index = session(of: request.message, on: request.connection) else { return }
    if world.sessions[index].playedAt == nil || world.sessions[index].state == .paused {
      world.sessions[index].playedAt = response.place
    }
    change(index, to: .playing, response.place)
  }

  private mutating func change(_ index: Int, to state: RTSPSession.State, _ place: WirePlace) {
    guard world.sessions[index].state != state, !world.sessions[index].isOver else { return }
    world.sessions[index].state = state
    if world.sessions[index].isOver { world.sessions[index].endedAt = place }
    emit(.session(index, state, place))
  }

  /// TEARDOWN was answered, or the connection closed over it. Of one media among several, it ends only that.
  /// - Parameter isHeard: false where nothing shows that the server knows of it.
  mutating func endSession(of request: RTSPRequest, _ place: WirePlace, isHeard: Bool = true) {
    guard let index = session(of: request.message, on: request.connection) else { return }
    let wanted = trimmed(request.url)
    let tracks = world.sessions[index].tracks
    if tracks.count > 1, tracks.contains(where: { trimmed(world.tracks[$0].url) == wanted }) { return }
    change(index, to: isHeard ? .tornDown : .left, place)
  }

  /// 454: the server does not know the session (any more).
  private mutating func refuse(_ request: RTSPRequest, _ place: WirePlace) {
    guard let index = session(of: request.message, on: request.connection) else { return }
    change(index, to: .expired, place)
  }
}
