public import RigDevice
public import RigLoop
public import RigModel
public import RigWire

/// Drives a device by stage-link/1 over any byte channel: moves bytes between the channel and `StageLinkHost`, and
/// connects again when the channel is lost.
public actor StageLinkDriver: DeviceDriver {
  private let loop: Loop
  private let opener: any ChannelOpener
  private let nonces: @Sendable () -> String
  private var host: StageLinkHost
  private var channel: (any ByteChannel)?
  /// Counts connections, so that a late end of an old one is not taken for the end of the present one.
  private var connection = 0
  private var isClosing = false
  /// Since when the link is down, and attempts to open it again go on.
  private var lostAt: HostTime?
  private var hello: Hello?
  private var ready: UnsafeContinuation<Result<Hello, DriverError>, Never>?
  private var opened: Result<Hello, DriverError>?
  private var calls: [Int64: UnsafeContinuation<Result<JSONValue, StageLinkError>, Never>] = [:]
  private var signal: @Sendable (DriverSignal) -> Void = { _ in }
  private var timer: TimerID?
  private var reader: Task<Void, any Error>?
  private var outgoing: [UInt8] = []
  private var isWriting = false

  /// How often, and for how long, a lost channel is tried again.
  private static let retryEvery: Duration = .milliseconds(250)
  private static let retryFor: Duration = .seconds(10)

  /// - Parameter nonces: gives a fresh, unpredictable word for each greeting.
  public init(_ loop: Loop, _ opener: any ChannelOpener, nonces: @escaping @Sendable () -> String) {
    self.loop = loop
    self.opener = opener
    self.nonces = nonces
    host = StageLinkHost(guarded: opener.isGuarded)
  }

  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  public func open(_ signal: @escaping @Sendable (DriverSignal) -> Void) async throws -> Hello {
    self.signal = signal
    opener.observe { signal(.fact($0)) }
    opener.listen { for line in $0.split(separator: 0x0A) { signal(.deviceLog(Array(line))) } }
    do { try await connect() } catch { throw DriverError(opener.name, cause: error) }
    // The look and the wait are one step: the call to wait may let other jobs run before its closure does.
    let result = await withUnsafeContinuation { k in
      if let opened { k.resume(returning: opened) } else { ready = k }
    }
    return try result.get()
  }

  public func clockError() -> Duration? { host.clockError }
  public func damagedCount() -> Int { host.damagedCount }

  public func call(_ method: String, _ params: JSONValue, timeout: Duration) async throws -> JSONValue {
    let result = await withUnsafeContinuation { (k: UnsafeContinuation<Result<JSONValue, StageLinkError>, Never>) in
      guard let (id, actions) = host.call(method, params, timeout: timeout, at: loop.now) else {
        return k.resume(returning: .failure(StageLinkError(.timeout, "the control link is down")))
      }
      calls[id] = k
      perform(actions)
    }
    return try result.get()
  }

  public func close() {
    isClosing = true
    opener.listen { _ in }
    connection += 1
    perform(host.disconnected())
    channel?.close()
    channel = nil
    if let timer { loop.cancel(timer) }
    reader?.cancel()
    finishOpening(.failure(DriverError("\(opener.name): closed")))
  }

  // MARK: Connection

  private func connect() async throws {
    let channel = try await opener.open()
    guard !isClosing else {
      channel.close()
      return
    }
    connection += 1
    let mine = connection
    self.channel = channel
    outgoing = []
    perform(host.connected(nonce: nonces(), at: loop.now))
    reader = loop.spawn { [weak self] in
      while true {
        var bytes: [UInt8] = []
        var reason = "the device closed the control connection"
        do { bytes = try await channel.read() } catch { reason = "\(error)" }
        guard let self, await self.received(bytes, on: mine, end: reason) else { return }
      }
    }
  }

  /// - Parameter end: why nothing follows, where `bytes` is empty.
  /// - Returns: whether to read on.
  private func received(_ bytes: [UInt8], on connection: Int, end: String) -> Bool {
    guard connection == self.connection, !isClosing else { return false }
    guard !bytes.isEmpty else {
      lost(end)
      return false
    }
    perform(host.receive(bytes, at: loop.now))
    return connection == self.connection
  }

  private func lost(_ reason: String) {
    guard !isClosing else { return }
    connection += 1
    channel?.close()
    channel = nil
    perform(host.disconnected())
    guard hello != nil else { return finishOpening(.failure(DriverError("\(opener.name): \(reason)"))) }
    // Attempts that fail while it is down are not news.
    let isNews = lostAt == nil
    let since = lostAt ?? loop.now
    lostAt = since
    if isNews { signal(.controlLost(reason)) }
    loop.spawn { [weak self] in await self?.reconnect(since: since, atOnce: isNews) }
  }

  /// - Parameter atOnce: `false` after a channel that opened and was of no use: it must not be opened in a tight loop.
  private func reconnect(since: HostTime, atOnce: Bool) async {
    var pauses = !atOnce
    while true {
      if pauses { try? await loop.sleep(for: StageLinkDriver.retryEvery) }
      pauses = true
      guard !isClosing, channel == nil, loop.now < since + StageLinkDriver.retryFor else { return }
      if (try? await connect()) != nil { return }
    }
  }

  private func finishOpening(_ result: Result<Hello, DriverError>) {
    if opened == nil { opened = result }
    ready?.resume(returning: result)
    ready = nil
  }

  // MARK: Actions

  private func perform(_ actions: [StageLinkHost.Action]) {
    for action in actions {
      switch action {
      case .send(let bytes): send(bytes)
      case .ready(let hello):
        let isFirst = self.hello == nil
        self.hello = hello
        lostAt = nil
        if isFirst { finishOpening(.success(hello)) } else { signal(.controlBack) }
      case .replied(let id, let result): calls.removeValue(forKey: id)?.resume(returning: .success(result))
      case .refused(let id, let error): calls.removeValue(forKey: id)?.resume(returning: .failure(error))
      case .event(let event): signal(.event(event))
      case .heartbeat: break
      case .deviceLog(let text): signal(.deviceLog(text))
      case .rebooted(let from, let to): signal(.rebooted(from: from, to: to))
      case .eventsLost(let count): signal(.eventsLost(count))
      case .damaged(let why): signal(.damaged(why.rawValue))
      case .lost(let reason): lost(reason)
      }
    }
    schedule()
  }

  /// Records leave in order, one write at a time.
  private func send(_ bytes: [UInt8]) {
    outgoing += bytes
    guard !isWriting else { return }
    isWriting = true
    loop.spawn { [weak self] in await self?.flush() }
  }

  private func flush() async {
    while !outgoing.isEmpty, let channel {
      let bytes = outgoing
      let mine = connection
      outgoing = []
      // A failed write shows as the end of the stream to the reader; what waits by then may be for the next channel.
      do { try await channel.write(bytes) } catch { if mine == connection { break } }
    }
    isWriting = false
  }

  private func schedule() {
    if let timer { loop.cancel(timer) }
    timer = nil
    guard !isClosing, let deadline = host.nextDeadline else { return }
    timer = loop.schedule(at: deadline) { [weak self] in self?.loopTick() }
  }

  private nonisolated func loopTick() { assumeIsolated { $0.tick() } }

  private func tick() {
    guard !isClosing else { return }
    perform(host.tick(at: loop.now))
  }
}
