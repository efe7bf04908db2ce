import RigBytes

/// Reads the start line and header lines of one message and notes what they do against the rules.
struct HeaderReader {
  /// Of the start line in the stream.
  let offset: Int64
  private(set) var deviations: [RTSPDeviation] = []
  /// A hostile header block could give one deviation per two bytes.
  private static let maximumDeviations = 64

  init(offset: Int64) { self.offset = offset }

  mutating func note(_ kind: RTSPDeviation.Kind, at offset: Int64, _ detail: @autoclosure () -> String = "") {
    guard deviations.count < Self.maximumDeviations else { return }
    deviations.append(RTSPDeviation(kind, at: offset, detail()))
  }

  /// The message in `block`, which ends before the empty line; without body. `nil` without a start line.
  mutating func read(_ block: ArraySlice<UInt8>, firstPosition: Int) -> RTSPMessage? {
    var message: RTSPMessage?
    var lines: [(name: String, value: [UInt8], offset: Int64)] = []
    var hasBareLF = false
    var rest = block
    while !rest.isEmpty {
      let here = Int64(firstPosition + (rest.startIndex - block.startIndex))
      let feed = rest.firstIndex(of: 0x0A)
      var line = rest[..<(feed ?? rest.endIndex)]
      rest = feed.map { rest[($0 + 1)...] } ?? []
      if line.last == 0x0D {
        line.removeLast()
      } else if feed != nil, !hasBareLF {
        hasBareLF = true
        note(.bareLF, at: here)
      }
      inspect(line, at: here)
      guard message != nil else {
        guard let start = StartLine(parsing: line) else { return nil }
        for kind in start.deviations { note(kind, at: here, ASCII.text(line)) }
        message = RTSPMessage(start.start, version: start.version)
        continue
      }
      if let first = line.first, ASCII.isBlank(first) {
        fold(ASCII.trimmed(line), into: &lines, at: here)
      } else if let header = header(line, at: here) {
        lines.append((header.name, [UInt8](header.value), here))
      }
    }
    message?.headers = RTSPHeaders(lines.map { RTSPHeaders.Line(name: $0.name, value: ASCII.text($0.value)) })
    if let message { checkCSeq(message) }
    return message
  }

  private mutating func inspect(_ line: ArraySlice<UInt8>, at here: Int64) {
    var hasCR = false
    var hasControl = false
    var hasHigh = false
    for byte in line {
      if byte >= 0x80 {
        hasHigh = true
      } else if byte == 0x0D {
        hasCR = true
      } else if byte != 0x09 {
        hasControl = hasControl || ASCII.isControl(byte)
      }
    }
    if hasCR { note(.bareCR, at: here, ASCII.text(line)) }
    if hasControl { note(.controlBytes, at: here, ASCII.text(line)) }
    if hasHigh, String(validating: line, as: UTF8.self) == nil { note(.notUTF8, at: here, ASCII.text(line)) }
  }

  private mutating func fold(
    _ text: ArraySlice<UInt8>, into lines: inout [(name: String, value: [UInt8], offset: Int64)], at here: Int64
  ) {
    guard !lines.isEmpty else { return note(.badHeaderLine, at: here, ASCII.text(text)) }
    let last = lines.count - 1
    guard !text.isEmpty else { return note(.blankContinuation, at: here, lines[last].name) }
    note(.folded, at: here, lines[last].name)
    if !lines[last].value.isEmpty { lines[last].value.append(0x20) }
    lines[last].value.append(contentsOf: text)
  }

  private mutating func header(
    _ line: ArraySlice<UInt8>, at here: Int64
  ) -> (name: String, value: ArraySlice<UInt8>)? {
    guard let colon = line.firstIndex(of: 0x3A) else {
      note(.badHeaderLine, at: here, ASCII.text(line))
      return nil
    }
    let rawName = line[..<colon]
    let name = ASCII.trimmed(rawName)
    guard !name.isEmpty, name.allSatisfy({ ASCII.isToken($0) }) else {
      note(.badHeaderLine, at: here, ASCII.text(line))
      return nil
    }
    if name.count != rawName.count { note(.blankBeforeColon, at: here, ASCII.text(name)) }
    let value = ASCII.trimmed(line[(colon + 1)...])
    if !value.isEmpty, let last = line.last, ASCII.isBlank(last) {
      note(.trailingBlank, at: here, ASCII.text(name))
    }
    return (ASCII.text(name), value)
  }

  private mutating func checkCSeq(_ message: RTSPMessage) {
    if message.headers["CSeq"] == nil {
      note(.missingCSeq, at: offset)
    } else if message.cseq == nil {
      note(.badCSeq, at: offset, message.headers["CSeq"] ?? "")
    }
  }

  /// Bytes of body that the Content-Length headers announce; 0 without one (RFC 2326 4.4).
  mutating func bodyLength(of headers: RTSPHeaders) -> Int {
    let values = headers.all("Content-Length")
    let numbers = values.map { ASCII.decimal($0, limit: 1 << 40) }
    let length = numbers.lazy.compactMap { $0 }.first ?? 0
    if numbers.contains(where: { $0 != length }) {
      note(.badContentLength, at: offset, values.joined(separator: ", "))
    }
    return Int(length)
  }
}
