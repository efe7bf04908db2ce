public import RigModel

/// The harness's end of stage-link/1, without I/O: bytes and time go in, actions come out.
///
/// It owns the handshake, request ids and time-outs, heartbeats, clock sync, event order and replay. Who performs the
/// actions (`RigDrivers.StageLinkDriver`) only moves bytes and sleeps until `nextDeadline`.
public struct StageLinkHost: Sendable {
  public enum Action: Hashable, Sendable {
    case send([UInt8])
    /// The handshake is done and the clock synchronised; once per connection.
    case ready(Hello)
    case replied(call: Int64, result: JSONValue)
    case refused(call: Int64, StageLinkError)
    case event(DeviceEvent)
    case heartbeat(state: String, run: String?)
    case deviceLog([UInt8])
    /// The device booted since the last connection: its state, runs and faults are gone.
    case rebooted(from: String, to: String)
    /// Events that the device could no longer replay.
    case eventsLost(Int64)
    case damaged(RecordDecoder.Damage)
    /// The connection is of no use any more: close it, and connect again if that makes sense.
    case lost(String)
  }

  private enum Phase: Hashable {
    case disconnected, greeting, synchronizing, replaying, up
  }

  /// What a reply belongs to.
  private enum Purpose {
    case hello, state, ping(sent: HostTime), replay, call
  }

  private struct Pending {
    var purpose: Purpose
    var deadline: HostTime
  }

  public static let helloTimeout: Duration = .seconds(5)
  public static let heartbeatPeriod: Duration = .seconds(1)
  public static let heartbeatsMissed = 3
  public static let pingPeriod: Duration = .seconds(5)
  static let pingsAtStart = 8
  /// What is counted of events that a device says it lost.
  static let mostLost: Int64 = 1 << 40

  private var framing: RecordFraming
  private var decoder: RecordDecoder
  private var phase: Phase = .disconnected
  private var nonce = ""
  private var nextID: Int64 = 1
  private var pending: [Int64: Pending] = [:]
  private var hello: Hello?
  private var boot: String?
  private var sequence: EventSequence?
  private var clock = ClockSync()
  /// The greatest device time of this connection's pings, in microseconds.
  private var newestDeviceTime: Int64?
  /// This boot's clock already went back once.
  private var wasGreetedForClock = false
  private var pingsLeft = 0
  private var nextPing: HostTime = .zero
  private var heartbeatDue: HostTime = .zero
  private var replayAskedSince: Int64?
  /// Events may have been missed while the link was down.
  private var wantsReplay = false
  public private(set) var damagedCount = 0
  /// What came instead of the reply to hello: a hint for who writes the agent.
  private var damagedBeforeHello = 0
  private var bytesBeforeHello = 0
  /// An error carries no nonce, so that the first refusal may be a stale reply to somebody else's request.
  private var wasRefused = false
  public private(set) var lostCount: Int64 = 0

  public init(guarded: Bool) {
    framing = RecordFraming(guarded: guarded)
    decoder = RecordDecoder(framing)
  }

  public var clockError: Duration? { clock.error }
  public var isUp: Bool { phase == .up }

  /// When `tick` must be called at the latest.
  public var nextDeadline: HostTime? {
    guard phase != .disconnected else { return nil }
    var deadlines = pending.values.map(\.deadline)
    if phase == .up { deadlines += [nextPing, heartbeatDue] }
    return deadlines.min()
  }

  // MARK: Connection

  /// A new channel is open: greet. `nonce` must be fresh and unpredictable.
  /// Calls that still wait on an earlier channel are answered with `timeout`.
  public mutating func connected(nonce: String, at now: HostTime) -> [Action] {
    let unanswered = disconnected()
    // What the last hello lowered holds for what followed it; the device behind this channel may be another by now.
    framing = RecordFraming(guarded: framing.guarded)
    decoder = RecordDecoder(framing)
    replayAskedSince = nil
    newestDeviceTime = nil
    phase = .greeting
    damagedBeforeHello = 0
    bytesBeforeHello = 0
    wasRefused = false
    self.nonce = nonce
    return unanswered + [greeting(now)]
  }

  private mutating func greeting(_ now: HostTime) -> Action {
    request("hello", ["v": [1], "nonce": .string(nonce)], .hello, now, timeout: StageLinkHost.helloTimeout)
  }

  /// The channel ended; calls that wait are answered with `timeout`.
  public mutating func disconnected() -> [Action] {
    phase = .disconnected
    let calls = pending.filter { if case .call = $0.value.purpose { true } else { false } }.keys.sorted()
    pending = [:]
    return calls.map { .refused(call: $0, StageLinkError(.timeout, "the control link was lost")) }
  }

  /// Sends a request of the caller's; one that the device could not hold is refused here.
  /// - Returns: its id, to be found in `replied` or `refused`; `nil` while the link is not up.
  public mutating func call(
    _ method: String, _ params: JSONValue, timeout: Duration, at now: HostTime
  ) -> (id: Int64, actions: [Action])? {
    guard phase == .up else { return nil }
    let id = nextID
    let size = StageLinkMessage.request(id: id, method: method, params: params).json.text.utf8.count
    guard size <= framing.limit else {
      nextID += 1
      let why = "the request exceeds the device's record limit"
      let error = StageLinkError(.tooLarge, why, data: ["most": .integer(Int64(framing.limit))])
      return (id, [.refused(call: id, error)])
    }
    return (id, [request(method, params, .call, now, timeout: timeout)])
  }

  private mutating func request(
    _ method: String, _ params: JSONValue, _ purpose: Purpose, _ now: HostTime, timeout: Duration
  ) -> Action {
    let id = nextID
    nextID += 1
    pending[id] = Pending(purpose: purpose, deadline: now + timeout)
    return .send(StageLinkMessage.request(id: id, method: method, params: params).encoded(framing))
  }

  // MARK: Input

  public mutating func receive(_ bytes: [UInt8], at now: HostTime) -> [Action] {
    guard phase != .disconnected else { return [] }
    if phase == .greeting { bytesBeforeHello += bytes.count }
    decoder.push(bytes, at: now)
    return drainDecoder(now)
  }

  private mutating func drainDecoder(_ now: HostTime) -> [Action] {
    var actions: [Action] = []
    while let item = decoder.next() {
      switch item {
      case .log(let text): actions.append(.deviceLog(text))
      case .damaged(let why):
        // Until the greeting is answered, what is on the line may be a crashed client's rest.
        guard phase != .greeting else {
          damagedBeforeHello += 1
          continue
        }
        damagedCount += 1
        actions.append(.damaged(why))
      case .record(let json):
        guard let message = StageLinkMessage(json) else { continue }
        actions += handle(message, now)
      }
      if phase == .disconnected { break }
    }
    return actions
  }

  private mutating func handle(_ message: StageLinkMessage, _ now: HostTime) -> [Action] {
    switch message {
    case .reply(let id, let result):
      guard let waiting = pending[id] else { return [] }
      if case .hello = waiting.purpose, result["nonce"]?.string != nonce { return [] }
      pending[id] = nil
      return replied(id, waiting.purpose, result, now)
    case .failure(let id, let error):
      guard let id, let waiting = pending.removeValue(forKey: id) else { return [] }
      return refused(id, waiting.purpose, error, now)
    case .notification(let method, let params):
      guard phase != .greeting else { return [] }
      return notified(method, params, now)
    case .request(let id, let method, _):
      guard phase != .greeting else { return [] }
      // Devices have nothing to ask of the harness in version 1.
      let error = StageLinkError(.methodNotFound, "the harness answers no \(method)")
      return [.send(StageLinkMessage.failure(id: id, error).encoded(framing))]
    }
  }

  private mutating func replied(
    _ id: Int64, _ purpose: Purpose, _ result: JSONValue, _ now: HostTime
  ) -> [Action] {
    switch purpose {
    case .call: return [.replied(call: id, result: result)]
    case .hello: return greeted(result, now)
    case .state:
      // Events of earlier runs are history: start after them. One that was quicker than this reply has begun already.
      if sequence == nil { sequence = EventSequence(last: result["seq"]?.integer ?? 0) }
      return [ping(now)]
    case .ping(let sent):
      if let d1 = result["d1"]?.integer, let d2 = result["d2"]?.integer {
        if let back = clockWentBack(d1, d2) { return lose(back) }
        clock.add(sent: sent, d1: d1, d2: d2, received: now)
      }
      return afterPing(now)
    case .replay: return replayed(result, now)
    }
  }

  private mutating func refused(
    _ id: Int64, _ purpose: Purpose, _ error: StageLinkError, _ now: HostTime
  ) -> [Action] {
    switch purpose {
    case .call: return [.refused(call: id, error)]
    case .hello:
      guard wasRefused else {
        wasRefused = true
        return [greeting(now)]
      }
      return lose("hello was refused: \(error)")
    case .state: return [ping(now)]
    // A device without a clock to read: its times stay untranslated.
    case .ping: return afterPing(now)
    case .replay:
      replayAskedSince = nil
      return phase == .replaying ? becomeUp(now) : []
    }
  }

  private mutating func greeted(_ result: JSONValue, _ now: HostTime) -> [Action] {
    let hello: Hello
    do { hello = try Hello(json: result) } catch { return lose("\(error)") }
    guard hello.version == 1 else { return lose("the device speaks stage-link/\(hello.version), this harness 1") }
    var actions: [Action] = []
    framing = RecordFraming(guarded: framing.guarded, limit: hello.recordLimit ?? RecordFraming.defaultLimit)
    self.hello = hello
    let sameBoot = boot == hello.boot
    if let old = boot, !sameBoot {
      actions.append(.rebooted(from: old, to: hello.boot))
      sequence = nil
    }
    boot = hello.boot
    if !sameBoot {
      clock = ClockSync()
      wasGreetedForClock = false
    }
    wantsReplay = sequence != nil
    phase = .synchronizing
    pingsLeft = StageLinkHost.pingsAtStart
    if sequence == nil {
      actions.append(request("state", [:], .state, now, timeout: StageLinkHost.helloTimeout))
    } else {
      actions.append(ping(now))
    }
    return actions
  }

  private mutating func ping(_ now: HostTime) -> Action {
    request("ping", ["h0": .integer(now.nanoseconds / 1000)], .ping(sent: now), now, timeout: .seconds(2))
  }

  /// A device can reboot behind a line that stays open, and say nothing. Its monotonic time then begins anew.
  private mutating func clockWentBack(_ d1: Int64, _ d2: Int64) -> String? {
    defer { newestDeviceTime = max(d2, newestDeviceTime ?? d2) }
    guard let newest = newestDeviceTime, d1 < newest, !wasGreetedForClock else { return nil }
    // A clock that is not monotonic is the agent's fault, and greeting it again and again would not mend it.
    wasGreetedForClock = true
    return "the device's clock went back from \(newest) to \(d1) µs: it rebooted, or its time is not monotonic"
  }

  private mutating func afterPing(_ now: HostTime) -> [Action] {
    guard phase == .synchronizing else { return [] }
    pingsLeft -= 1
    if pingsLeft > 0 { return [ping(now)] }
    if let sequence, wantsReplay {
      phase = .replaying
      return [replay(since: sequence.last, now)]
    }
    return becomeUp(now)
  }

  private mutating func becomeUp(_ now: HostTime) -> [Action] {
    guard let hello else { return [] }
    phase = .up
    nextPing = now + StageLinkHost.pingPeriod
    heartbeatDue = now + heartbeatPatience
    return [.ready(hello)]
  }

  private var heartbeatPatience: Duration {
    // A heartbeat is missed when the next one is due; half a period of slack for transports that batch.
    StageLinkHost.heartbeatPeriod * StageLinkHost.heartbeatsMissed + StageLinkHost.heartbeatPeriod / 2
  }

  // MARK: Events

  private mutating func notified(_ method: String, _ params: JSONValue, _ now: HostTime) -> [Action] {
    switch method {
    case "event":
      guard let event = StageLinkEvent(params: params) else { return [] }
      // Whoever answered hello is not who speaks now. Another hello tells what became of it.
      guard event.boot == boot else { return lose("an event carries another boot id than hello: the device rebooted") }
      return received(event, now)
    case "hb":
      heartbeatDue = now + heartbeatPatience
      var actions: [Action] = [
        .heartbeat(state: params["state"]?.string ?? "", run: params["run"]?.string)
      ]
      // The last event's number in a heartbeat shows a loss even when nothing follows it.
      if let seq = params["seq"]?.integer, let last = sequence?.last, seq > last { actions += askReplay(last, now) }
      return actions
    default: return []
    }
  }

  private mutating func received(_ event: StageLinkEvent, _ now: HostTime) -> [Action] {
    if sequence == nil { sequence = EventSequence(last: event.sequence - 1) }
    switch sequence?.receive(event) {
    case .deliver(let events): return events.map { .event(translate($0, now)) }
    case .gap(let since): return askReplay(since, now)
    case .duplicate, nil: return []
    }
  }

  private mutating func askReplay(_ since: Int64, _ now: HostTime) -> [Action] {
    guard phase == .up, replayAskedSince != since else { return [] }
    return [replay(since: since, now)]
  }

  private mutating func replay(since: Int64, _ now: HostTime) -> Action {
    replayAskedSince = since
    return request("events", ["since": .integer(since)], .replay, now, timeout: .seconds(2))
  }

  private mutating func replayed(_ result: JSONValue, _ now: HostTime) -> [Action] {
    var actions: [Action] = []
    let asked = replayAskedSince ?? 0
    replayAskedSince = nil
    let page = (result["events"]?.array ?? []).compactMap { StageLinkEvent(params: $0) }.filter { $0.boot == boot }
    if let lost = result["lost"]?.integer, lost > 0 {
      actions += lose(events: lost, upTo: min(asked + lost, (page.first?.sequence ?? .max) - 1), now)
    }
    for event in page {
      guard case .deliver(let events)? = sequence?.receive(event) else { continue }
      actions += events.map { .event(translate($0, now)) }
    }
    let more = result["more"]?.bool == true && (sequence?.last ?? 0) > asked
    // What came before this reply was in it, or is gone: a hole that it leaves is never filled.
    while !more, let sequence, sequence.missing > 0 {
      actions += lose(events: sequence.missing, upTo: sequence.last + sequence.missing, now)
    }
    if more {
      actions.append(replay(since: sequence?.last ?? 0, now))
    } else if phase == .replaying {
      actions += becomeUp(now)
    }
    return actions
  }

  private var noise: String {
    guard bytesBeforeHello > 0 else { return "; nothing at all was received" }
    let damaged = damagedBeforeHello > 0 ? ", \(damagedBeforeHello) damaged records among them" : ""
    return "; \(bytesBeforeHello) bytes were received\(damaged)"
  }

  private mutating func lose(events count: Int64, upTo sequence: Int64, _ now: HostTime) -> [Action] {
    // A device may claim any number, any number of times.
    let news = min(count, StageLinkHost.mostLost - lostCount)
    lostCount += news
    return (news > 0 ? [.eventsLost(news)] : [])
      + (self.sequence?.skip(to: sequence) ?? []).map { .event(translate($0, now)) }
  }

  private func translate(_ event: StageLinkEvent, _ now: HostTime) -> DeviceEvent {
    DeviceEvent(
      received: now, occurred: clock.hostTime(deviceTime: event.deviceTime),
      timeError: clock.error(deviceTime: event.deviceTime),
      sequence: event.sequence, boot: event.boot, run: event.run, name: event.name, source: event.source,
      data: event.data)
  }

  // MARK: Time

  /// Something may be overdue: requests, heartbeats, the next ping, a record without its LF.
  public mutating func tick(at now: HostTime) -> [Action] {
    guard phase != .disconnected else { return [] }
    decoder.dropStale(at: now)
    var actions = drainDecoder(now)
    for (id, waiting) in pending.sorted(by: { $0.key < $1.key }) where waiting.deadline <= now {
      pending[id] = nil
      switch waiting.purpose {
      case .hello: return actions + lose("no reply to hello in \(StageLinkHost.helloTimeout.text)\(noise)")
      default: actions += refused(id, waiting.purpose, StageLinkError(.timeout, "no reply"), now)
      }
    }
    guard phase == .up else { return actions }
    if heartbeatDue <= now {
      return actions + lose("\(StageLinkHost.heartbeatsMissed) heartbeats missed")
    }
    if nextPing <= now {
      nextPing = now + StageLinkHost.pingPeriod
      actions.append(ping(now))
    }
    return actions
  }

  private mutating func lose(_ reason: String) -> [Action] {
    [.lost(reason)] + disconnected()
  }
}
