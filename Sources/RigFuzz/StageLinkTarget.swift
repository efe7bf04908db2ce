import RigModel
import RigWire

enum StageLinkTarget {
  /// What a device sends. Lines that begin with `!` and a byte let that many tenths of a second pass, `#` connects
  /// anew, `?` calls a method; all others go to the host.
  static func check(_ input: UnsafeRawBufferPointer) throws {
    let bytes = [UInt8](input)
    for guarded in [false, true] {
      let framing = RecordFraming(guarded: guarded)
      let whole = items(bytes, framing, pieces: max(1, bytes.count))
      try requireSame(items(bytes, framing, pieces: 1), whole, "byte by byte")
      try host(bytes, guarded: guarded)
    }
  }

  private static func items(_ bytes: [UInt8], _ framing: RecordFraming, pieces size: Int) -> [RecordDecoder.Item] {
    var decoder = RecordDecoder(framing)
    var items: [RecordDecoder.Item] = []
    forEachPiece(of: bytes, size: size) { piece in
      decoder.push(piece, at: .zero)
      while let item = decoder.next() { items.append(item) }
    }
    return items
  }

  private static func host(_ bytes: [UInt8], guarded: Bool) throws {
    var session = Session(guarded: guarded)
    var rest = bytes[...]
    while !rest.isEmpty {
      let line = rest.prefix((rest.firstIndex(of: 0x0A) ?? rest.endIndex - 1) - rest.startIndex + 1)
      rest = rest.dropFirst(line.count)
      switch line.first {
      case UInt8(ascii: "!"): try session.wait(.milliseconds(100 * Int(line.dropFirst().first ?? 0)))
      case UInt8(ascii: "#"): try session.reconnect()
      case UInt8(ascii: "?"): try session.call()
      default: try session.receive(line)
      }
    }
    try session.wait(.seconds(60))
  }

  /// Two hosts that are told the same, one of them byte by byte.
  private struct Session {
    var whole: StageLinkHost
    var dripped: StageLinkHost
    var now = HostTime.zero
    var calls: Set<Int64> = []
    var last: [String: Int64] = [:]
    var isLost = false
    var connections = 1

    init(guarded: Bool) {
      whole = StageLinkHost(guarded: guarded)
      dripped = whole
      _ = whole.connected(nonce: "n1", at: now)
      _ = dripped.connected(nonce: "n1", at: now)
    }

    mutating func take(_ actions: [StageLinkHost.Action], _ others: [StageLinkHost.Action]) throws {
      try requireSame(others, actions, "byte by byte")
      for action in actions {
        switch action {
        case .replied(let id, _), .refused(let id, _):
          try require(calls.remove(id) != nil, "an answer to call \(id), which nobody made or which was answered")
        case .event(let event):
          try require(event.sequence > last[event.boot] ?? .min, "event \(event.sequence) out of order")
          last[event.boot] = event.sequence
        case .rebooted(_, let boot): last[boot] = nil
        case .lost:
          try require(!isLost, "the connection is lost a second time")
          isLost = true
        case .eventsLost(let count): try require(count > 0, "\(count) events lost")
        case .send, .ready, .heartbeat, .deviceLog, .damaged: break
        }
      }
      try require((whole.nextDeadline == nil) == isLost, "a deadline after the end, or none before it")
      if isLost { try require(calls.isEmpty, "calls \(calls) were never answered") }
    }

    mutating func wait(_ time: Duration) throws {
      let end = now + time
      var ticks = 0
      while let deadline = whole.nextDeadline, deadline <= end {
        now = max(now, deadline)
        try take(whole.tick(at: now), dripped.tick(at: now))
        ticks += 1
        try require(ticks < 10_000, "the host never comes to rest")
      }
      now = end
    }

    mutating func reconnect() throws {
      try take(whole.disconnected(), dripped.disconnected(), lost: true)
      connections += 1
      isLost = false
      let nonce = "n\(connections)"
      try take(whole.connected(nonce: nonce, at: now), dripped.connected(nonce: nonce, at: now))
    }

    private mutating func take(
      _ actions: [StageLinkHost.Action], _ others: [StageLinkHost.Action], lost: Bool
    ) throws {
      isLost = lost
      try take(actions, others)
    }

    mutating func call() throws {
      let first = whole.call("start", ["a": 1], timeout: .seconds(1), at: now)
      let second = dripped.call("start", ["a": 1], timeout: .seconds(1), at: now)
      try require(first?.id == second?.id, "two ids for one call")
      guard let first, let second else { return }
      calls.insert(first.id)
      try take(first.actions, second.actions)
    }

    mutating func receive(_ bytes: ArraySlice<UInt8>) throws {
      var others: [StageLinkHost.Action] = []
      for byte in bytes { others += dripped.receive([byte], at: now) }
      try take(whole.receive(Array(bytes), at: now), others)
    }
  }
}
