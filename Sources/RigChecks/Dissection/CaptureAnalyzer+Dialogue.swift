import RigBytes
import RigWire

extension CaptureAnalyzer {
  /// Takes one item of an RTSP byte stream. `at.offset` is the parser's base.
  mutating func seeItem(_ index: Int, _ side: Int, _ item: RTSPParser.Item, _ at: WirePlace) {
    var place = at
    func moved(_ offset: Int64) -> WirePlace {
      WirePlace(frame: at.frame, time: at.time, offset: (at.offset ?? 0) + offset)
    }
    switch item {
    case .interleaved(let channel, let payload, let offset):
      connections[index].sides[side].isHurt = false
      connections[index].sides[side].lastMessage = nil
      seeFrame(index, side, channel, payload, moved(offset))
      return
    case .message(let message, let offset, var deviations):
      place = moved(offset)
      // Where the capture lacks bytes, or ends, the message is not to blame for what is missing.
      if connections[index].sides[side].isHurt {
        deviations.removeAll { [.shortBody, .unterminatedHeaders].contains($0.kind) }
      }
      connections[index].sides[side].isHurt = false
      connections[index].sides[side].lastMessage = message
      if message.isRequest {
        let end = (at.offset ?? 0) + connections[index].sides[side].parser.position
        seeRequest(index, side, message, deviations, place, end: end)
      } else {
        seeResponse(index, side, message, deviations, place)
      }
      return
    case .damagedFrame(let frame):
      let kind: FramingDamage.Kind =
        switch frame.reason {
        case .short: .shortFrame
        case .rtspInFrame: .messageInFrame
        case .endOfStream: .shortFrame
        }
      damage(index, side, kind, frame.announced - frame.found, moved(frame.offset))
    case .garbage(let offset, let count, _):
      damage(index, side, .garbage, count, moved(offset))
    case .oversized(_, let offset, let announced):
      damage(index, side, .garbage, announced, moved(offset))
    }
    connections[index].sides[side].lastMessage = nil
  }

  private mutating func damage(
    _ index: Int, _ side: Int, _ kind: FramingDamage.Kind, _ bytes: Int, _ place: WirePlace
  ) {
    // The first damage after a hole, or in the middle of a dialogue, is the capture's.
    if connections[index].sides[side].isHurt { return }
    var event = FramingDamage(
      connection: index, kind: kind, bytes: bytes, fromServer: isServer(index, side), place: place)
    if case .garbage = kind, let message = connections[index].sides[side].lastMessage {
      event.kind = .afterMessage(contentLength: message.contentLength, method: message.method, status: message.status)
    }
    emit(.framing(event))
  }

  // MARK: interleaved frames

  private mutating func seeFrame(_ index: Int, _ side: Int, _ channel: UInt8, _ payload: [UInt8], _ place: WirePlace) {
    guard !payload.isEmpty else {
      damageFrame(index, side, .emptyFrame(channel), place)
      return
    }
    let bytes = payload.span.bytes
    let route: Int
    if let known = connections[index].sides[side].routes[channel] {
      route = known
    } else {
      route = newChannelRoute(index, side, channel, isRTCP: RTPHeader.isRTCP(bytes), place)
    }
    guard route >= 0 else { return }
    let range = 0..<payload.count
    switch routes[route].role {
    case .rtp where RTPHeader.isRTCP(bytes): seeRTCP(route, bytes, range, place)
    case .rtp: seeRTP(route, bytes, range, place)
    case .receiver:
      noteSign(track: routes[route].track, place)
      seeRTCP(route, bytes, range, place)
    case .rtcp: seeRTCP(route, bytes, range, place)
    case .unknown, .ignored: break
    }
  }

  private mutating func damageFrame(_ index: Int, _ side: Int, _ kind: FramingDamage.Kind, _ place: WirePlace) {
    emit(
      .framing(
        FramingDamage(connection: index, kind: kind, bytes: 4, fromServer: isServer(index, side), place: place)))
  }

  private mutating func newChannelRoute(
    _ index: Int, _ side: Int, _ channel: UInt8, isRTCP: Bool, _ place: WirePlace
  ) -> Int {
    let assignment = connections[index].assigned[channel]
    if assignment == nil {
      // Nothing is remembered of it yet: it may be assigned by a response that is still to come.
      if connections[index].asked.contains(channel) { return -1 }
      if connections[index].isWhole {
        damageFrame(index, side, .unassignedChannel(channel), place)
        return -1
      }
    }
    var route = Route(role: .rtp, track: assignment?.track ?? -1, flow: connections[index].flow(from: side))
    route.channel = channel
    route.connection = index
    if isServer(index, side) || connections[index].clientSide == nil {
      route.role = assignment?.isRTCP ?? isRTCP ? .rtcp : .rtp
    } else {
      route.role = assignment?.isRTCP ?? isRTCP ? .receiver : .rtp
    }
    let added = add(route)
    if added >= 0 { connections[index].sides[side].routes[channel] = added }
    return added
  }

  // MARK: messages

  private mutating func seeRequest(
    _ index: Int, _ side: Int, _ message: RTSPMessage, _ deviations: [RTSPDeviation], _ place: WirePlace, end: Int64
  ) {
    if connections[index].clientSide == nil { connections[index].clientSide = side }
    let request = RTSPRequest(
      connection: index, message: message, deviations: deviations, place: place,
      fromClient: connections[index].clientSide == side, end: end)
    if connections[index].sides[side].open.count >= 64 { connections[index].sides[side].open.removeFirst() }
    connections[index].sides[side].open.append(request)
    if request.fromClient, let session = session(of: message, on: index) {
      world.sessions[session].lastSign = place.time
    }
    if message.method == "SETUP", let value = message.headers["Transport"] {
      for transport in TransportHeader.parse(value) {
        if let channels = transport.interleaved {
          connections[index].asked.insert(UInt8(truncatingIfNeeded: channels.first))
          connections[index].asked.insert(UInt8(truncatingIfNeeded: channels.second ?? channels.first &+ 1))
        }
      }
    }
    emit(.request(request))
  }

  private mutating func seeResponse(
    _ index: Int, _ side: Int, _ message: RTSPMessage, _ deviations: [RTSPDeviation], _ place: WirePlace
  ) {
    if connections[index].clientSide == nil { connections[index].clientSide = 1 - side }
    let asker = 1 - side
    let open = connections[index].sides[asker].open
    var response = RTSPResponse(
      connection: index, message: message, deviations: deviations, place: place, fromServer: isServer(index, side),
      request: nil, match: .none,
      // What is still on its way after a reset answers requests that were given up with it.
      wholeConnection: connections[index].isWhole && !connections[index].isEnded)
    let found: Int?
    if let number = message.cseq, let match = open.firstIndex(where: { $0.message.cseq == number }) {
      found = match
      response.match = .cseq
    } else {
      found = open.isEmpty ? nil : 0
      response.match = open.isEmpty ? .none : .order
    }
    if let found {
      response.request = open[found]
      // 100 Continue announces the real response.
      if message.status.map({ $0 >= 200 }) ?? true { connections[index].sides[asker].open.remove(at: found) }
    }
    if let request = response.request, response.fromServer {
      response.session = session(of: request.message, on: index) ?? -1
      response.hasTracks = connections[index].hasTracks
    }
    emit(.response(response))
    if response.fromServer { apply(response) }
  }
}
