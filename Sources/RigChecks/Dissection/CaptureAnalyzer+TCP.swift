import RigBytes
import RigWire

extension CaptureAnalyzer {
  mutating func seeTCP(_ packet: NetworkPacket, _ frame: RawSpan, number: Int, time: Int64) {
    guard let (index, side) = connection(for: packet) else { return }
    guard connections[index].kind != .other else { return }
    if connections[index].sides[side].checksums.refuses(packet, in: frame) {
      world.damagedPackets += 1
      return
    }
    if packet.tcp.flags.contains(.ack) {
      connections[index].sides[1 - side].stream.peerAcknowledged(
        packet.tcp.acknowledgment, parts: packet.selectiveAcknowledgments(in: frame), time: time)
    }
    if let (chunk, range) = connections[index].sides[side].stream.accept(packet, in: frame, number: number, time: time)
    {
      seeBytes(index, side, chunk, frame.extracting(range))
    }
    if connections[index].sides[0].stream.hasHeldBytes || connections[index].sides[1].stream.hasHeldBytes {
      releaseHeld(index, now: time, flush: false)
    }
    noteClose(index, side, packet)
    noteEnd(index, WirePlace(frame: number, time: time))
  }

  private mutating func releaseHeld(_ index: Int, now: Int64, flush: Bool) {
    for side in 0..<2 {
      while let (chunk, bytes) = connections[index].sides[side].stream.release(now: now, flush: flush) {
        seeBytes(index, side, chunk, bytes.span.bytes)
      }
      if flush { noteMissing(index, side) }
    }
  }

  /// The connection of a segment; a SYN on ports that were used before begins a new one.
  private mutating func connection(for packet: NetworkPacket) -> (Int, Int)? {
    if let known = connectionIndex[packet.flow] {
      let isFresh = packet.tcp.flags.contains(.syn) && !packet.tcp.flags.contains(.ack)
      let initial = connections[known.index].sides[known.side].stream.initialSequence
      guard isFresh, let initial, initial != packet.tcp.sequence &+ 1 else { return known }
      endConnection(known.index, WirePlace(frame: world.lastFrame, time: world.now))
    }
    // Lone resets and acknowledgments of connections long gone open nothing.
    guard !packet.tcp.flags.contains(.rst) else { return nil }
    // A connection that the capture joins at the answer to its SYN was opened by the other side.
    let isAnswer = packet.tcp.flags.contains(.syn) && packet.tcp.flags.contains(.ack)
    let key = isAnswer ? packet.flow.reversed : packet.flow
    guard let index = add(Connection(key: key)) else { return nil }
    connectionIndex[key] = (index, 0)
    connectionIndex[key.reversed] = (index, 1)
    return (index, isAnswer ? 1 : 0)
  }

  /// Adds a connection; `nil` where the bound is reached even after those of other protocols were dropped.
  private mutating func add(_ connection: Connection) -> Int? {
    if freeConnections.isEmpty, connections.count >= Self.connectionLimit, maySearch() { forgetOthers() }
    if let free = freeConnections.popLast() {
      connections[free] = connection
      return free
    }
    guard connections.count < Self.connectionLimit else { return nil }
    connections.append(connection)
    return connections.count - 1
  }

  /// Makes room: drops connections that turned out to be something else, or ended before they said anything.
  private mutating func forgetOthers() {
    for index in connections.indices {
      let connection = connections[index]
      guard connection.kind == .other || (connection.kind == .unknown && connection.isEnded) else { continue }
      if connectionIndex[connection.key]?.index == index {
        connectionIndex[connection.key] = nil
        connectionIndex[connection.key.reversed] = nil
      }
      freeConnections.append(index)
    }
  }

  private mutating func seeBytes(_ index: Int, _ side: Int, _ chunk: TCPChunk, _ bytes: RawSpan) {
    if chunk.gap > 0 {
      noteMissing(index, side)
      breakStream(index, side, chunk)
    }
    switch connections[index].kind {
    case .other: return
    case .unknown: sniff(index, side, chunk, bytes)
    case .rtsp: push(index, side, chunk, bytes)
    }
  }

  private mutating func sniff(_ index: Int, _ side: Int, _ chunk: TCPChunk, _ bytes: RawSpan) {
    let head = bytes.clamped(to: 0..<256).array
    let prefix = connections[index].sides[side].prefix
    var answer = RTSPSniffer.answer(prefix + head)
    if answer == .no, !prefix.isEmpty {
      answer = RTSPSniffer.answer(head)
      connections[index].sides[side].prefix = []
    }
    connections[index].sides[side].chunks += 1
    if answer == .no, let kind = HiddenRTSP.kind(bytes, key: connections[index].key, isFirst: prefix.isEmpty) {
      connections[index].kind = .other
      let flow = connections[index].flow(from: side)
      note(UnjudgedConnection(kind: kind, flow: flow, place: WirePlace(frame: chunk.frame, time: chunk.time)))
      return
    }
    switch answer {
    case .request, .response, .interleaved:
      connections[index].kind = .rtsp
      if answer != .interleaved { connections[index].clientSide = answer == .request ? side : 1 - side }
      if !connections[index].isWhole { for each in 0..<2 { connections[index].sides[each].isHurt = true } }
      push(index, side, chunk, bytes)
    case .undecided where prefix.count < 256:
      connections[index].sides[side].prefix = prefix + head
    default:
      connections[index].sides[side].prefix = []
      // The middle of a dialogue may begin inside a frame: look at some more chunks before giving up.
      let patience = connections[index].sides[side].stream.sawStart ? 1 : 64
      if connections[index].sides[side].chunks >= patience { connections[index].kind = .other }
    }
  }

  private mutating func push(_ index: Int, _ side: Int, _ chunk: TCPChunk, _ bytes: RawSpan) {
    if !connections[index].sides[side].hasBegun {
      let prefix = connections[index].sides[side].prefix
      connections[index].sides[side].hasBegun = true
      connections[index].sides[side].prefix = []
      connections[index].sides[side].parserBase = chunk.offset - Int64(prefix.count)
      connections[index].sides[side].parser.push(prefix)
    }
    bytes.withUnsafeBytes { connections[index].sides[side].parser.push($0) }
    drain(index, side, WirePlace(frame: chunk.frame, time: chunk.time))
  }

  private mutating func drain(_ index: Int, _ side: Int, _ place: WirePlace) {
    let base = connections[index].sides[side].parserBase
    while let item = connections[index].sides[side].parser.next() {
      seeItem(index, side, item, WirePlace(frame: place.frame, time: place.time, offset: base))
    }
  }

  /// Bytes are missing in the stream: what the parser waits for never comes, and what follows begins anywhere.
  private mutating func breakStream(_ index: Int, _ side: Int, _ chunk: TCPChunk) {
    guard connections[index].kind == .rtsp else {
      connections[index].sides[side].prefix = []
      return
    }
    let place = WirePlace(frame: chunk.frame, time: chunk.time, offset: chunk.offset)
    connections[index].sides[side].isHurt = true
    connections[index].sides[side].parser.finish()
    drain(index, side, place)
    connections[index].sides[side].parser = RTSPParser()
    connections[index].sides[side].hasBegun = false
    connections[index].sides[side].isHurt = true
    emit(
      .framing(
        FramingDamage(
          connection: index, kind: .captureGap, bytes: Int(clamping: chunk.gap), fromServer: isServer(index, side),
          place: place)))
  }

  /// Takes note of bytes that the capture lacks, or that lie behind others that never came: any open request of the
  /// other side may have been answered there.
  private mutating func noteMissing(_ index: Int, _ side: Int) {
    let stream = connections[index].sides[side].stream
    let missing = stream.missingBytes - connections[index].sides[side].knownMissing
    let undelivered = stream.undeliveredBytes - connections[index].sides[side].knownUndelivered
    guard missing > 0 || undelivered > 0 else { return }
    connections[index].sides[side].knownMissing = stream.missingBytes
    connections[index].sides[side].knownUndelivered = stream.undeliveredBytes
    guard connections[index].kind == .rtsp else { return }
    world.missingTCPBytes += missing
    world.undeliveredTCPBytes += undelivered
    for request in connections[index].sides[1 - side].open.indices {
      connections[index].sides[1 - side].open[request].mayBeAnswered = true
    }
  }

  func isServer(_ index: Int, _ side: Int) -> Bool { connections[index].clientSide.map { $0 != side } ?? (side == 1) }

  /// The first FIN or reset of a side: what it had acknowledged by then had come before it closed. Numbers that it sends
  /// later say nothing of that: its TCP takes bytes that no program reads any more.
  private mutating func noteClose(_ index: Int, _ side: Int, _ packet: NetworkPacket) {
    guard connections[index].sides[side].acknowledgedAtClose == nil, connections[index].sides[side].stream.hasClosed
    else { return }
    let other = connections[index].sides[1 - side].stream
    // A reset without a number answers a segment; what was acknowledged before still holds.
    let own = packet.tcp.flags.isSuperset(of: [.fin, .ack]) ? other.offset(of: packet.tcp.acknowledgment) : nil
    connections[index].sides[side].acknowledgedAtClose = own ?? other.acknowledged
    if connections[index].firstCloser == nil { connections[index].firstCloser = side }
  }

  private mutating func noteEnd(_ index: Int, _ place: WirePlace) {
    guard !connections[index].isEnded else { return }
    let ends = connections[index].sides.map(\.stream.end)
    // A side that closed in order and then resets has left nobody to talk to.
    let wasReset = connections[index].sides.contains { $0.stream.wasReset }
    guard wasReset || ends.allSatisfy({ $0 != nil }) else { return }
    endConnection(index, place)
  }

  private mutating func endConnection(_ index: Int, _ place: WirePlace) {
    guard !connections[index].isEnded else { return }
    connections[index].isEnded = true
    releaseHeld(index, now: place.time, flush: true)
    guard connections[index].kind == .rtsp else { return }
    finishDialogue(index, place, connectionEnded: true)
    emit(.connectionEnded(index, place))
    // What the dialogue held is not needed any more.
    for side in 0..<2 {
      connections[index].sides[side].parser = RTSPParser()
      connections[index].sides[side].open = []
    }
    connections[index].descriptions = []
  }

  mutating func flushConnections() {
    let place = WirePlace(frame: world.lastFrame, time: world.now)
    for index in connections.indices where connections[index].kind == .rtsp && !connections[index].isEnded {
      releaseHeld(index, now: place.time, flush: true)
      finishDialogue(index, place, connectionEnded: false)
    }
  }

  private mutating func finishDialogue(_ index: Int, _ place: WirePlace, connectionEnded: Bool) {
    for side in 0..<2 {
      // The capture, or a reset, may end inside a frame; a side that closed in order inside one broke its word.
      if connections[index].sides[side].stream.end != .fin { connections[index].sides[side].isHurt = true }
      connections[index].sides[side].parser.finish()
      drain(index, side, place)
      for request in connections[index].sides[side].open {
        let ending = ending(of: request, from: side, connectionEnded: connectionEnded)
        emit(.unanswered(request, ending))
        if request.method == "TEARDOWN" { endSession(of: request, place, isHeard: ending != .notReceived) }
      }
    }
  }
}
