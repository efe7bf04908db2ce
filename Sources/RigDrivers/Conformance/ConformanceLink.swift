import RigDevice
import RigLoop
import RigModel
import RigWire

/// One connection to a device that is looked at: what it sends is kept as it comes, and what is sent to it may be wrong.
// Unchecked: touched only on the loop's thread.
final class ConformanceLink: @unchecked Sendable {
  /// What became of a request.
  enum Answer {
    case result(JSONValue)
    case error(StageLinkError)
    case silence
    case ended
  }

  struct Heartbeat {
    var received: HostTime
    var params: JSONValue
  }

  private struct Waiter {
    let id: Int
    let holds: () -> Bool
    let timer: TimerID
    let resume: (Bool) -> Void
  }

  private let loop: Loop
  private let channel: any ByteChannel
  let framing: RecordFraming
  private var decoder: RecordDecoder
  private var reader: Task<Void, any Error>?
  private var waiters: [Waiter] = []
  private var lastWaiter = 0
  private(set) var isEnded = false
  private(set) var events: [StageLinkEvent] = []
  private(set) var heartbeats: [Heartbeat] = []
  private(set) var replies: [Int64: Answer] = [:]
  private(set) var damagedCount = 0

  init(_ loop: Loop, _ channel: any ByteChannel, guarded: Bool) {
    self.loop = loop
    self.channel = channel
    framing = RecordFraming(guarded: guarded)
    decoder = RecordDecoder(framing)
    reader = loop.spawn { [weak self] in
      while true {
        let bytes = (try? await channel.read()) ?? []
        guard let self, self.received(bytes) else { return }
      }
    }
  }

  func close() {
    reader?.cancel()
    channel.close()
    isEnded = true
    look()
  }

  // MARK: Receiving

  /// - Returns: whether to read on.
  private func received(_ bytes: [UInt8]) -> Bool {
    guard !bytes.isEmpty, !isEnded else {
      isEnded = true
      look()
      return false
    }
    decoder.push(bytes, at: loop.now)
    while let item = decoder.next() {
      switch item {
      case .log: break
      case .damaged: damagedCount += 1
      case .record(let json): if let message = StageLinkMessage(json) { take(message) }
      }
    }
    look()
    return true
  }

  private func take(_ message: StageLinkMessage) {
    switch message {
    case .reply(let id, let result): replies[id] = .result(result)
    case .failure(let id, let error): if let id { replies[id] = .error(error) }
    case .notification("event", let params): if let event = StageLinkEvent(params: params) { events.append(event) }
    case .notification("hb", let params): heartbeats.append(Heartbeat(received: loop.now, params: params))
    case .notification, .request: break
    }
  }

  private func look() {
    for waiter in waiters where isEnded || waiter.holds() { settle(waiter.id, waiter.holds()) }
  }

  private func settle(_ id: Int, _ result: Bool) {
    guard let i = waiters.firstIndex(where: { $0.id == id }) else { return }
    let waiter = waiters.remove(at: i)
    loop.cancel(waiter.timer)
    waiter.resume(result)
  }

  /// Waits until something holds of what was received, the channel ends, or `limit` has passed.
  nonisolated(nonsending) func wait(_ limit: Duration, _ holds: @escaping () -> Bool) async -> Bool {
    await withUnsafeContinuation { (k: UnsafeContinuation<Bool, Never>) in
      guard !isEnded, !holds() else { return k.resume(returning: holds()) }
      lastWaiter += 1
      let id = lastWaiter
      let timer = loop.schedule(at: loop.now + limit) { self.settle(id, false) }
      waiters.append(Waiter(id: id, holds: holds, timer: timer) { k.resume(returning: $0) })
    }
  }

  /// The first event of `run` with this name.
  nonisolated(nonsending) func event(_ name: String, run: String, in limit: Duration) async -> StageLinkEvent? {
    func found() -> StageLinkEvent? { events.first { $0.name == name && $0.run == run } }
    _ = await wait(limit) { found() != nil }
    return found()
  }

  // MARK: Sending

  /// Sends bytes as they are. A failure shows as the end of the channel.
  nonisolated(nonsending) func send(_ bytes: [UInt8]) async {
    do { try await channel.write(bytes) } catch {
      isEnded = true
      look()
    }
  }

  nonisolated(nonsending) func answer(_ id: Int64, in limit: Duration) async -> Answer {
    if await wait(limit, { self.replies[id] != nil }), let answer = replies[id] { return answer }
    return isEnded ? .ended : .silence
  }
}

extension ConformanceLink.Answer {
  /// For a line that says what came.
  var text: String {
    switch self {
    case .result(let json): "the result \(String(json.text.prefix(200)))"
    case .error(let error): "\(error)"
    case .silence: "no answer"
    case .ended: "the channel ended"
    }
  }
}
