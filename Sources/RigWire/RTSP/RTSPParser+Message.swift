import RigBytes

extension RTSPParser {
  /// Collects header lines up to the empty one.
  mutating func stepInHeaders(_ start: PartialMessage) -> Step {
    var partial = start
    while true {
      if partial.lineStart < end, at(partial.lineStart) == 0x24 {
        // The tail of the message was lost and a frame follows: no header name begins like this.
        guard end - partial.lineStart >= 5 || isFinished else {
          mode = .headers(partial)
          return .needMore
        }
        if isFrameHead(partial.lineStart) {
          return complete(partial, headersEnd: partial.lineStart, next: partial.lineStart, isTerminated: false)
        }
      }
      let limit = min(end, partial.start + Self.maximumHeaderBytes)
      while partial.scanned < limit, at(partial.scanned) != 0x0A { partial.scanned += 1 }
      guard partial.scanned < limit else { break }
      let feed = partial.scanned
      let line = slice(partial.lineStart..<feed)
      if line.allSatisfy({ $0 == 0x0D }) {
        return complete(
          partial, headersEnd: partial.lineStart, next: feed + 1, isTerminated: true, endsBare: line.isEmpty)
      }
      if line.first == 0x52, case .response? = StartLine(parsing: line)?.start {
        return complete(partial, headersEnd: partial.lineStart, next: partial.lineStart, isTerminated: false)
      }
      partial.lineStart = feed + 1
      partial.scanned = feed + 1
    }
    if partial.scanned >= partial.start + Self.maximumHeaderBytes {
      mode = .hunting(Hunt(position: partial.scanned, frame: nil, garbageStart: partial.start))
      isInsideFrame = false
      return .item(
        .oversized(.headers, offset: Int64(partial.start), announced: partial.scanned - partial.start))
    }
    guard isFinished else {
      mode = .headers(partial)
      return .needMore
    }
    return complete(partial, headersEnd: end, next: end, isTerminated: false)
  }

  private func isFrameHead(_ position: Int) -> Bool {
    guard end - position >= 5 else { return false }
    let announced = Int(at(position + 2)) << 8 | Int(at(position + 3))
    return announced >= 8 && at(position + 4) >> 6 == 2
  }

  private mutating func complete(
    _ partial: PartialMessage, headersEnd: Int, next: Int, isTerminated: Bool, endsBare: Bool = false
  ) -> Step {
    var reader = HeaderReader(offset: Int64(partial.start))
    if blankBytes > 0 { reader.note(.blankLineBefore, at: Int64(partial.start - blankBytes)) }
    if isInsideFrame { reader.note(.rtspInFrame, at: Int64(partial.start)) }
    blankBytes = 0
    isInsideFrame = false
    let message = reader.read(slice(partial.start..<headersEnd), firstPosition: partial.start)
    if endsBare, !reader.deviations.contains(where: { $0.kind == .bareLF }) {
      reader.note(.bareLF, at: Int64(headersEnd))
    }
    if !isTerminated { reader.note(.unterminatedHeaders, at: Int64(headersEnd)) }
    guard var message else {
      // The start line was checked before; only a stream that lies about itself gets here.
      cursor = next
      mode = .hunting(Hunt(position: next, frame: nil, garbageStart: partial.start))
      return .again
    }
    let length = reader.bodyLength(of: message.headers)
    guard length <= Self.maximumBodyBytes else {
      cursor = next
      mode = .hunting(Hunt(position: next, frame: nil, garbageStart: next))
      return .item(.oversized(.body, offset: Int64(partial.start), announced: length))
    }
    cursor = next
    message.body = []
    if length == 0 || !isTerminated {
      mode = .boundary
      if length > 0 { reader.note(.shortBody, at: Int64(next), "0 of \(length) bytes") }
      return .item(.message(message, offset: Int64(partial.start), deviations: reader.deviations))
    }
    mode = .body(
      PartialBody(
        message: message, start: partial.start, bodyStart: next, length: length, deviations: reader.deviations))
    return .again
  }

  var isBodyComplete: Bool {
    guard case .body(let partial) = mode else { return false }
    return isFinished || end - partial.bodyStart >= partial.length
  }

  /// Cuts the body where the announced length is not true: at the end of the stream or where a response begins.
  mutating func completeBody() -> Step {
    guard case .body(var partial) = mode else { return .again }
    var bodyEnd = min(end, partial.bodyStart + partial.length)
    if let response = firstResponse(in: partial.bodyStart..<bodyEnd) {
      // A response may begin in the last bytes of a body whose length is a little too large.
      guard response.likeness == .yes else { return .needMore }
      bodyEnd = response.position
    }
    mode = .boundary
    let found = bodyEnd - partial.bodyStart
    if found < partial.length {
      partial.deviations.append(
        RTSPDeviation(.shortBody, at: Int64(bodyEnd), "\(found) of \(partial.length) bytes"))
    }
    partial.message.body = [UInt8](slice(partial.bodyStart..<bodyEnd))
    cursor = bodyEnd
    return .item(.message(partial.message, offset: Int64(partial.start), deviations: partial.deviations))
  }

  /// The first line that begins like a response, or may do so once more bytes are there.
  private func firstResponse(in range: Range<Int>) -> (position: Int, likeness: Likeness)? {
    var isLineStart = true
    for position in range {
      let byte = at(position)
      if isLineStart, byte == 0x52 {
        let likeness = isMessageStart(position, statusOnly: true)
        if likeness != .no { return (position, likeness) }
      }
      isLineStart = byte == 0x0A
    }
    return nil
  }
}
