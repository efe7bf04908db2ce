import RigBytes

extension RTSPParser {
  /// What stands at a place, told from its first bytes.
  enum Likeness { case yes, no, unknown }

  /// At the place where an item should begin.
  mutating func stepAtBoundary() -> Step {
    guard cursor < end else { return .needMore }
    let byte = at(cursor)
    if byte == 0x24 { return stepAtFrame() }
    if byte == 0x0D || byte == 0x0A {
      cursor += 1
      blankBytes += 1
      // A last frame kept through endless empty lines would hold the buffer.
      if blankBytes > 16 { lastFrame = nil }
      return .again
    }
    guard ASCII.isToken(byte) else { return loseFraming() }
    switch lineBreak(from: cursor) {
    case .none: return .needMore
    case .control: return loseFraming()
    case .lineFeed(let position):
      guard StartLine(parsing: slice(cursor..<position)) != nil else { return loseFraming() }
      lastFrame = nil
      mode = .headers(PartialMessage(start: cursor, lineStart: position + 1, scanned: position + 1))
      return .again
    }
  }

  private mutating func stepAtFrame() -> Step {
    let available = end - cursor
    guard available >= 4 else { return isFinished ? loseFraming() : .needMore }
    let announced = Int(at(cursor + 2)) << 8 | Int(at(cursor + 3))
    let frame = Frame(
      start: cursor, channel: at(cursor + 1), announced: announced, end: cursor + 4 + announced, wasDelivered: false)
    guard announced > 0 else { return deliver(frame) }
    guard available >= 5 else { return isFinished ? giveUp(frame) : .needMore }
    let first = at(cursor + 4)
    if first >> 6 == 2, announced >= 8 {
      guard available >= 4 + announced else { return isFinished ? giveUp(frame) : .needMore }
      return deliver(frame)
    }
    if first == 0x52 {
      switch isMessageStart(cursor + 4, statusOnly: true) {
      case .unknown: return .needMore
      case .yes: return leaveFrameForMessage(frame)
      case .no: break
      }
    }
    // No RTP in it: its length counts only if something sensible follows.
    guard available >= 4 + announced else { return isFinished ? giveUp(frame) : .needMore }
    switch isItemStart(frame.end) {
    case .unknown: return .needMore
    case .yes: return deliver(frame)
    case .no: return loseFraming()
    }
  }

  private mutating func deliver(_ frame: Frame) -> Step {
    var frame = frame
    frame.wasDelivered = true
    let payload = [UInt8](slice((frame.start + 4)..<frame.end))
    channelSeen[Int(frame.channel)] = true
    hasSeenChannel = true
    channelSource[Int(frame.channel)] = source(frame.start, before: frame.end)
    lastFrame = frame
    cursor = frame.end
    blankBytes = 0
    return .item(.interleaved(channel: frame.channel, payload: payload, offset: Int64(frame.start)))
  }

  private mutating func leaveFrameForMessage(_ frame: Frame) -> Step {
    lastFrame = nil
    cursor = frame.start + 4
    isInsideFrame = true
    return .item(.damagedFrame(damage(frame, found: 0, .rtspInFrame)))
  }

  /// The stream ended inside `frame`: perhaps others stand inside of it.
  private mutating func giveUp(_ frame: Frame) -> Step {
    channelSeen[Int(frame.channel)] = true
    hasSeenChannel = true
    channelSource[Int(frame.channel)] = source(frame.start, before: end)
    var cut = frame
    cut.end = end
    cursor = end
    lastFrame = nil
    mode = .hunting(Hunt(position: max(frame.start + 5, searchFloor), frame: cut, garbageStart: end))
    searchFloor = end
    return .again
  }

  /// The SSRC of the RTP or RTCP packet in the frame at `start`; `nil` where it does not lie before `limit`.
  func source(_ start: Int, before limit: Int) -> UInt32? {
    guard start + 16 <= limit, start + 16 <= end else { return nil }
    let second = at(start + 5)
    let place = start + 4 + (second >= 192 && second <= 223 ? 4 : 8)
    return (0..<4).reduce(0) { $0 << 8 | UInt32(at(place + $1)) }
  }

  func damage(_ frame: Frame, found: Int, _ reason: DamagedFrame.Reason) -> DamagedFrame {
    let body = frame.start + 4
    return DamagedFrame(
      channel: frame.channel, offset: Int64(frame.start), announced: frame.announced, found: found, reason: reason,
      wasDelivered: frame.wasDelivered, head: [UInt8](slice(body..<(body + min(found, 64)))))
  }

  /// Nothing begins at the cursor.
  mutating func loseFraming() -> Step {
    var hunt = Hunt(position: cursor + 1, frame: nil, garbageStart: cursor)
    if let frame = lastFrame {
      let from = max(frame.start + 5, searchFloor)
      if from < frame.end {
        hunt.position = from
        hunt.frame = frame
        searchFloor = frame.end
      }
    }
    lastFrame = nil
    isInsideFrame = false
    blankBytes = 0
    mode = .hunting(hunt)
    return .again
  }

  // MARK: Likeness

  enum LineBreak {
    case lineFeed(Int)
    /// A control byte that no text line has, or a line that is too long.
    case control
    case none
  }

  /// The first LF at or after `start`. Remembers what was searched, so that repeated calls stay linear.
  mutating func lineBreak(from start: Int) -> LineBreak {
    var position = lineScan.contains(start) ? lineScan.upperBound : start
    if position == start { lineScan = start..<start }
    let limit = min(end, start + Self.maximumStartLine)
    defer { lineScan = lineScan.lowerBound..<max(position, lineScan.lowerBound) }
    while position < limit {
      let byte = at(position)
      if byte == 0x0A { return .lineFeed(position) }
      if ASCII.isControl(byte), byte != 0x0D, byte != 0x09 { return .control }
      position += 1
    }
    if position >= start + Self.maximumStartLine { return .control }
    return isFinished ? .control : .none
  }

  /// Whether a frame or message seems to begin at `position`. The end of a finished stream counts as one.
  func isItemStart(_ position: Int) -> Likeness {
    guard position < end else { return isFinished ? .yes : .unknown }
    switch at(position) {
    case 0x24: return .yes
    case 0x0D:
      guard position + 1 < end else { return isFinished ? .yes : .unknown }
      return at(position + 1) == 0x0A ? .yes : .no
    default: return isMessageStart(position, statusOnly: false)
    }
  }

  /// Whether the bytes at `position` are those of `RTSP/1.0 ` or, unless `statusOnly`, of a known method and a blank.
  func isMessageStart(_ position: Int, statusOnly: Bool) -> Likeness {
    var result = Likeness.no
    for pattern in statusOnly ? Self.statusPatterns : Self.startPatterns {
      let available = min(pattern.count, max(0, end - position))
      if available > 1, at(position) != pattern[0] || at(position + 1) != pattern[1] { continue }
      guard slice(position..<(position + available)).elementsEqual(pattern.prefix(available)) else { continue }
      if available == pattern.count { return .yes }
      if !isFinished { result = .unknown }
    }
    return result
  }

  private static let statusPatterns = ["RTSP/1.0 ", "RTSP/1.1 ", "RTSP/2.0 "].map { [UInt8]($0.utf8) }
  private static let startPatterns =
    statusPatterns
    + [
      "OPTIONS", "DESCRIBE", "ANNOUNCE", "SETUP", "PLAY", "PAUSE", "TEARDOWN", "GET_PARAMETER", "SET_PARAMETER",
      "REDIRECT", "RECORD",
    ].flatMap { method in [" rtsp", " *", " RTSP"].map { [UInt8]((method + $0).utf8) } }
}
