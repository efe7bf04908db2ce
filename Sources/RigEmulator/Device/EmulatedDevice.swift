public import RigDevice
public import RigLoop
import RigModel
import RigWire

/// An emulated device: the agent that speaks stage-link/1 and the start flow behind it.
///
/// It is driven only through its control channel. The same code runs in real time, with a real access-point port and a
/// real RTSP server, and in virtual time with simulated ones.
public actor EmulatedDevice {
  enum State: String { case idle, starting, streaming, stopping, rebooting }

  public nonisolated let loop: Loop
  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  let profile: DeviceProfile
  let serial: String
  let hotspot: any HotspotBackend
  let media: any MediaBackend
  let notice: HotspotNotice
  /// `nil`: the control link is on no bus that could fail.
  let plug: (any PlugBackend)?
  var random: SplitMix64
  var boot: String
  /// Host time at which the device's own clock showed zero.
  var clockOrigin: HostTime
  var state: State = .idle
  var run: String?
  /// The last run that ended: a repeated stop of it is answered as done.
  var lastRun: String?
  /// When the run was accepted.
  var runBegan: HostTime?
  var params: StreamParameters?
  var ring = EventRing()
  var faults: [InjectedFault] = []
  var lastFault = 0
  /// Starts since the boot.
  var starts = 0
  var flowTasks: [Task<Void, any Error>] = []
  /// What the harness said of its join in this run.
  var linkResult: (success: Bool, error: DeviceError?)?
  /// The run is being ended: media, events, access point.
  var isEnding = false
  var hotspotLeaked = false
  /// The control link says nothing until then.
  var silentUntil: HostTime?
  /// The next event's record is sent with a flipped bit.
  var damageNextEvent = false
  /// A completion that waits to be overtaken by the next event.
  var overtaken: String?
  private var lastHeard: HostTime
  var ownerTimeout: Duration = .seconds(10)

  // The control link.
  private var channel: (any ByteChannel)?
  private var connection = 0
  private var decoder: RecordDecoder
  let framing: RecordFraming
  private var outgoing: [UInt8] = []
  private var isWriting = false
  private var log: [String] = []

  public init(
    _ loop: Loop, profile: DeviceProfile, serial: String, seed: UInt64, hotspot: any HotspotBackend,
    media: any MediaBackend, guarded: Bool = false, notice: HotspotNotice? = nil, plug: (any PlugBackend)? = nil
  ) {
    self.loop = loop
    self.profile = profile
    self.serial = serial
    self.hotspot = hotspot
    self.media = media
    self.plug = plug
    self.notice = notice ?? HotspotNotice(ssid: "EMU-\(serial)")
    random = SplitMix64(seed: seed)
    framing = RecordFraming(guarded: guarded)
    decoder = RecordDecoder(framing)
    boot = String(random.next(), radix: 16)
    // A device's clock starts anywhere.
    clockOrigin = loop.now - .milliseconds(Int64.random(in: 5_000...90_000, using: &random))
    lastHeard = loop.now
  }

  /// Beats and watches for a lost owner until the task that calls it is cancelled.
  public func live() async throws {
    while true {
      try await loop.sleep(for: .seconds(1))
      guard state != .rebooting else { continue }
      notify(
        "hb",
        [
          "t": .integer(deviceTime), "seq": .integer(ring.nextSequence - 1), "state": .string(state.rawValue),
          "run": run.map { .string($0) } ?? .null,
        ])
      if run != nil, loop.now - lastHeard > ownerTimeout { await endRun(byUser: false, error: ownerGone) }
    }
  }

  private var ownerGone: DeviceError { DeviceError(domain: "agent", code: 1, message: "the owner went silent") }

  var deviceTime: Int64 { (loop.now - clockOrigin).nanoseconds / 1000 }

  func draw(_ range: ClosedRange<Int>) -> Duration { .milliseconds(Int.random(in: range, using: &random)) }

  // MARK: The control link

  /// A new control connection replaces the one before it.
  /// - Returns: `false` while the device is down.
  public func accept(_ channel: any ByteChannel) -> Bool {
    guard state != .rebooting else { return false }
    dropLink()
    self.channel = channel
    connection += 1
    decoder = RecordDecoder(framing)
    let mine = connection
    loop.spawn { [weak self] in
      while true {
        let bytes = (try? await channel.read()) ?? []
        guard let self, await self.received(bytes, on: mine) else { return }
      }
    }
    return true
  }

  func dropLink() {
    connection += 1
    channel?.close()
    channel = nil
    outgoing = []
    plug?.restore()
    // Faults die with the link that brought them.
    guard !faults.isEmpty else { return }
    faults.removeAll()
    loop.spawn { await self.media.change(faults: []) }
  }

  private func received(_ bytes: [UInt8], on connection: Int) async -> Bool {
    guard connection == self.connection else { return false }
    guard !bytes.isEmpty else {
      dropLink()
      return false
    }
    // What comes while the link is silent is heard when it is over, as by an agent that hung.
    while let silentUntil, isSilent {
      do { try await loop.sleep(until: silentUntil) } catch { return false }
      guard connection == self.connection else { return false }
    }
    lastHeard = loop.now
    decoder.push(bytes, at: loop.now)
    while let item = decoder.next() {
      switch item {
      case .record(let json): await received(json)
      case .damaged(let why):
        send(.failure(id: nil, StageLinkError(why == .tooLarge ? .tooLarge : .parseError, why.rawValue)))
      case .log: break
      }
    }
    return connection == self.connection
  }

  private func received(_ json: JSONValue) async {
    guard case .request(let id, let method, let params)? = StageLinkMessage(json) else {
      if json["method"] == nil, json["result"] == nil, json["error"] == nil {
        send(.failure(id: json["id"]?.integer, StageLinkError(.invalidRequest)))
      }
      return
    }
    switch await answer(method, params) {
    case .success(let result)?: send(.reply(id: id, result: result))
    case .failure(let error)?: send(.failure(id: id, error))
    // A fault that swallows the reply.
    case nil: break
    }
  }

  var isSilent: Bool { silentUntil.map { loop.now < $0 } ?? false }

  func notify(_ method: String, _ params: JSONValue) { send(.notification(method: method, params: params)) }

  func send(_ message: StageLinkMessage) {
    guard channel != nil, !isSilent else { return }
    var bytes = message.encoded(framing)
    if damageNextEvent, case .notification("event", _) = message {
      damageNextEvent = false
      bytes[bytes.count / 2] ^= 0x04
    }
    outgoing += bytes
    // A reader that has gone away for good must not fill the memory.
    if outgoing.count > 1 << 20 { return dropLink() }
    guard !isWriting else { return }
    isWriting = true
    loop.spawn { await self.flush() }
  }

  private func flush() async {
    while !outgoing.isEmpty, let channel {
      let bytes = outgoing
      let mine = connection
      outgoing = []
      // What waits after a failed write may be for the next channel.
      do { try await channel.write(bytes) } catch { if mine == connection { break } }
    }
    isWriting = false
  }

  /// Text outside any record, as devices log on a shared console.
  func logLine(_ text: String) {
    log.append(text)
    if log.count > 256 { log.removeFirst() }
  }

  func logPage(since: Int, most: Int) -> JSONValue {
    let lines = log.dropFirst(max(0, since)).prefix(max(0, min(most, 20)))
    return ["lines": .list(Array(lines)), "next": .integer(Int64(max(0, since) + lines.count))]
  }

  // MARK: Events

  /// Reports an event of the run.
  func emit(_ name: String, _ data: JSONValue = [:], run other: String? = nil, source: String = "sdk") {
    let event = ring.add(
      boot: boot, run: other ?? run, deviceTime: deviceTime, name: name, source: source, data: data)
    logLine("\(deviceTime) \(name)")
    notify("event", event.params)
  }
}
