public import RigModel

/// Takes stage-link records out of a byte stream that may also carry the device's log, in bounded memory.
///
/// At each LF the bytes after the last RS are the record; what cannot be read is counted as damaged and decoding goes
/// on with the next line. The result is the same however the bytes are cut into reads.
public struct RecordDecoder: Sendable {
  public enum Item: Hashable, Sendable {
    case record(JSONValue)
    /// A record that could not be read, and why.
    case damaged(Damage)
    /// Text outside any record: the device's log, without its line feed.
    case log([UInt8])
  }

  public enum Damage: String, Hashable, Sendable {
    case badChecksum = "bad checksum"
    case noChecksum = "no checksum where the channel requires one"
    case badJSON = "not a JSON object"
    case tooLarge = "larger than the record limit"
    case cut = "cut short by the next record"
    case stale = "no line feed for 1 s"
  }

  public var framing: RecordFraming
  private var line: [UInt8] = []
  private var lineBegan: HostTime = .zero
  /// The rest of an oversize line is thrown away up to its LF.
  private var skipping = false
  private var items: [Item] = []
  private var taken = 0
  public private(set) var damagedCount = 0

  public init(_ framing: RecordFraming) { self.framing = framing }

  /// Bytes of log text that are kept of one line.
  private static let longestLogLine = 4096
  /// RS, JSON, space, star, checksum and perhaps a carriage return.
  private var longestRecordLine: Int { framing.limit + 12 }

  public mutating func push(_ bytes: some Collection<UInt8>, at now: HostTime) {
    dropStale(at: now)
    for byte in bytes {
      if byte == RecordFraming.lineFeed {
        if !skipping { endLine() }
        skipping = false
        line.removeAll(keepingCapacity: true)
        continue
      }
      if skipping {
        // A new record may begin inside the thrown-away line.
        guard byte == RecordFraming.recordStart else { continue }
        skipping = false
      }
      if byte == RecordFraming.recordStart, !line.isEmpty {
        cutBefore()
      }
      if line.isEmpty { lineBegan = now }
      line.append(byte)
      if line.count > longestRecordLine { overflow() }
    }
  }

  /// Drops a record that has waited for its LF for more than a second. Call it with the time when nothing comes.
  public mutating func dropStale(at now: HostTime) {
    guard !line.isEmpty, now - lineBegan > RecordFraming.staleAfter else { return }
    if looksLikeRecord(line) { damage(.stale) } else { log(line[...]) }
    line.removeAll(keepingCapacity: true)
  }

  public mutating func next() -> Item? {
    guard taken < items.count else {
      items.removeAll(keepingCapacity: true)
      taken = 0
      return nil
    }
    taken += 1
    return items[taken - 1]
  }

  private func looksLikeRecord(_ bytes: [UInt8]) -> Bool {
    bytes.first == RecordFraming.recordStart || (!framing.guarded && bytes.first == UInt8(ascii: "{"))
  }

  private mutating func damage(_ why: Damage) {
    damagedCount += 1
    items.append(.damaged(why))
  }

  private mutating func log(_ bytes: ArraySlice<UInt8>) {
    let text = bytes.last == 0x0D ? bytes.dropLast() : bytes
    if !text.isEmpty { items.append(.log(Array(text.prefix(RecordDecoder.longestLogLine)))) }
  }

  /// An RS in the middle of a line: what stands before it is a cut record, or log text.
  private mutating func cutBefore() {
    // Some senders begin with more than one RS: nothing was cut between them.
    if looksLikeRecord(line) {
      if line.count > 1 { damage(.cut) }
    } else {
      log(line[...])
    }
    line.removeAll(keepingCapacity: true)
  }

  private mutating func overflow() {
    if looksLikeRecord(line) { damage(.tooLarge) } else { log(line[...]) }
    line.removeAll(keepingCapacity: true)
    skipping = true
  }

  private mutating func endLine() {
    guard !line.isEmpty else { return }
    guard looksLikeRecord(line) else { return log(line[...]) }
    var body = line[...]
    if body.first == RecordFraming.recordStart { body = body.dropFirst() }
    while let last = body.last, last == 0x0D || last == 0x20 { body = body.dropLast() }
    if let star = checksumStart(body) {
      let json = body[body.startIndex..<star]
      // Hex digits of either case: setting bit 5 changes no digit, and makes letters small.
      let sent = body[(star + 2)...].map { $0 | 0x20 }
      guard sent == CRC32.hex(CRC32.checksum(json)) else { return damage(.badChecksum) }
      body = json
    } else if framing.guarded {
      return damage(.noChecksum)
    }
    guard body.count <= framing.limit else { return damage(.tooLarge) }
    guard let value = try? JSONParser.parse(body, maximumDepth: RecordFraming.maximumDepth), case .object = value else {
      return damage(.badJSON)
    }
    items.append(.record(value))
  }

  /// Where a space, a star and eight more bytes end the line.
  private func checksumStart(_ body: ArraySlice<UInt8>) -> Int? {
    guard body.count > 10 else { return nil }
    let start = body.endIndex - 10
    return body[start] == 0x20 && body[start + 1] == UInt8(ascii: "*") ? start : nil
  }
}
