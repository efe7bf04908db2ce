import RigBytes
import RigWire

extension CaptureAnalyzer {
  @inline(__always)
  mutating func seeUDP(_ packet: NetworkPacket, _ frame: RawSpan, _ place: WirePlace) {
    guard packet.payload.count >= 4 else { return }
    let route: Int
    if let lastFlow, lastFlow == packet.flow {
      route = lastRoute
    } else {
      route = flowIndex[packet.flow] ?? newRoute(for: packet.flow)
      lastFlow = packet.flow
      lastRoute = route
    }
    guard route >= 0, routes[route].role != .ignored else { return }
    if !isReassembled {
      let wasProven = routes[route].checksums.isProven
      if routes[route].checksums.refuses(packet, in: frame) {
        world.damagedPackets += 1
        return
      }
      if !wasProven, routes[route].checksums.isProven { prove(packet.flow.source.address) }
    }
    switch routes[route].role {
    case .rtp:
      if isRTCP(frame, packet.payload) {
        if packet.missing == 0 { seeRTCP(route, frame, packet.payload, place) }
      } else {
        isCut = packet.missing > 0
        seeRTP(route, frame, packet.payload, place)
        isCut = false
      }
    case .rtcp:
      // A compound cut by the snap length says nothing of its length field.
      if packet.missing == 0 { seeRTCP(route, frame, packet.payload, place) }
    case .receiver: seeReceiver(route, frame, packet.payload, place)
    case .unknown: guess(route, frame, packet.payload, place)
    case .ignored: break
    }
  }

  /// RTP and RTCP on one port (RFC 5761 4): the second byte of RTCP is 192–223.
  @inline(__always)
  func isRTCP(_ bytes: RawSpan, _ range: Range<Int>) -> Bool {
    guard let second = bytes.u8(at: range.lowerBound + 1) else { return false }
    return second >= 192 && second <= 223
  }

  /// A host fills in its checksums: a packet of an unknown flow may be one of a known flow with a damaged header.
  private mutating func prove(_ host: IPAddress) {
    if provenHosts.count < Self.provenHostLimit { provenHosts.insert(host) }
  }

  private mutating func newRoute(for flow: FlowKey) -> Int {
    var route = Route(role: .unknown, track: -1, flow: flow)
    if let target = mediaTargets[flow.destination] {
      route.role = target.isRTCP ? .rtcp : .rtp
      route.track = target.track
    } else if let target = serverPorts[flow.destination] {
      route.role = .receiver
      route.track = target.track
    }
    route.checksums = ChecksumTrust(isProven: provenHosts.contains(flow.source.address))
    let index = add(route)
    if index >= 0 { flowIndex[flow] = index }
    return index
  }

  /// Adds a route; -1 where the bound is reached even after those of other traffic were dropped.
  mutating func add(_ route: Route) -> Int {
    if freeRoutes.isEmpty, routes.count >= Self.routeLimit, maySearch() { dropOtherFlows() }
    if let free = freeRoutes.popLast() {
      routes[free] = route
      return free
    }
    guard routes.count < Self.routeLimit else { return -1 }
    routes.append(route)
    return routes.count - 1
  }

  private mutating func dropOtherFlows() {
    for (flow, index) in flowIndex where routes[index].role == .unknown || routes[index].role == .ignored {
      flowIndex[flow] = nil
      freeRoutes.append(index)
    }
    lastFlow = nil
  }

  /// A flow that no SETUP explains: is it RTP or RTCP by its looks?
  private mutating func guess(_ route: Int, _ frame: RawSpan, _ range: Range<Int>, _ place: WirePlace) {
    routes[route].tries += 1
    // Well-known services (DNS, DHCP, NTP) are no media, whatever their bytes look like.
    guard routes[route].flow.source.port >= 1024, routes[route].flow.destination.port >= 1024 else {
      routes[route].role = .ignored
      return
    }
    if let first = frame.u8(at: range.lowerBound), first >> 6 == 2 {
      if isRTCP(frame, range) {
        if range.count >= 8, range.count % 4 == 0 { routes[route].role = .rtcp }
      } else if let header = try? RTPHeader(parsing: frame.extracting(range)), header.flaw == nil {
        routes[route].role = .rtp
        seeRTP(route, frame, range, place)
        return
      }
    }
    if routes[route].role == .unknown, routes[route].tries >= 16 { routes[route].role = .ignored }
  }

  /// Forgets flows that a new SETUP may explain otherwise.
  mutating func forgetFlows(touching endpoints: [Endpoint]) {
    for (flow, index) in flowIndex where endpoints.contains(flow.source) || endpoints.contains(flow.destination) {
      flowIndex[flow] = nil
      freeRoutes.append(index)
    }
    lastFlow = nil
  }

  private mutating func seeReceiver(_ route: Int, _ frame: RawSpan, _ range: Range<Int>, _ place: WirePlace) {
    // Packets that only open a path carry no report and are no sign of a receiver that listens.
    guard isRTCP(frame, range) else { return }
    noteSign(track: routes[route].track, place)
    seeRTCP(route, frame, range, place)
  }

  mutating func noteSign(track: Int, _ place: WirePlace) {
    guard world.tracks.indices.contains(track) else { return }
    let session = world.tracks[track].session
    if world.sessions.indices.contains(session) { world.sessions[session].lastSign = place.time }
  }
}
