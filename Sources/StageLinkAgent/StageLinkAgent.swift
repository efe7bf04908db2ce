// A stage-link/1 agent for a host app, in one file: copy it into the app. It needs Foundation alone, and Swift 6.1
// (Xcode 16.3), in language mode 5 or 6, whatever the project's default isolation is.
//
// 1. Let a small class of yours conform to `RTSPLiveStreaming` by calling the SDK.
// 2. Make a `StageLinkAgent`. Its `send` writes to the channel to the harness, a TCP connection for instance.
// 3. Give it what comes from the channel with `receive`, and call `tick` once a second.
//
// All methods may be called on any thread, and so may the handlers; the bytes leave in order.
public import Foundation

/// What the agent needs of the SDK. The names are those of its methods and handlers.
public nonisolated protocol RTSPLiveStreaming: Sendable {
  /// Why no session can be started now; empty: ready.
  var notReadyReasons: [String] { get }
  var supportsRTSPLiveStreaming: Bool { get }
  /// - Parameter parameters: `nil`: the device's defaults.
  /// - Throws: what keeps the SDK from accepting the request. What happens later goes to the handlers.
  func startRTSPLiveStreaming(parameters: LiveStreamingParameters?, handlers: LiveStreamingHandlers) throws
  func stopRTSPLiveStreaming()
}

public nonisolated struct LiveStreamingParameters: Hashable, Sendable {
  /// Mbit/s; 0: the device's default.
  public var bitrate: Double
  /// 0 is lossless; larger is more compression.
  public var qualityFactor: Int
  /// P and B frames between two I frames.
  public var iFrameInterval: Int
}

/// Pass each of them to the SDK's parameter of the same name.
public nonisolated struct LiveStreamingHandlers: Sendable {
  public typealias Completion = @Sendable (_ success: Bool, _ error: (any Error)?) -> Void
  public let configureHotspotStartingHandler: @Sendable () -> Void
  public let hotspotConfigureCompletionHandler: Completion
  public let enterLiveStreamingModeStartingHandler: @Sendable () -> Void
  public let enterLiveStreamingModeCompletedHandler: Completion
  public let waitingForHotspotOpenHandler: @Sendable () -> Void
  public let connectDeviceHotspotStartingHandler: @Sendable (_ ssid: String) -> Void
  public let deviceHotspotConnectCompletionHandler: Completion
  public let rtspAddressReceivedHandler: @Sendable (_ address: String) -> Void
  public let sessionStartCompletionHandler: Completion
  public let sessionFinishHandler: @Sendable (_ userStopped: Bool, _ error: (any Error)?) -> Void
}

/// Who the agent is, in its reply to `hello`.
public nonisolated struct StageLinkIdentity: Sendable {
  public var agentVersion = "1"
  /// The app itself is under test: losing it is a failure.
  public var underTest = false
  public var model: String
  public var serial = ""
  public var firmware = ""
  public var sdk = ""
  /// Ranges of `bitrate`, `qualityFactor` and `iFrameInterval`, where the device publishes them.
  public var ranges: [String: ClosedRange<Double>] = [:]
  /// A TCP port that answers exactly while the hotspot is up.
  public var probe: (host: String, port: UInt16)?
  public init(model: String) { self.model = model }
}

// Unchecked: everything that changes is touched under `lock`.
public nonisolated final class StageLinkAgent: @unchecked Sendable {
  private typealias Members = [String: StageLinkJSON]
  private nonisolated enum State: String { case idle, starting, streaming, stopping }

  private nonisolated struct Refusal: Error {
    var code: Int64
    var message: String
    var data: StageLinkJSON = .null
  }

  private static let recordLimit = 4096
  private static let ringCapacity = 128
  /// No parameter is beyond this, whatever its range says: an `Int` holds it.
  private static let most = -1e9...1e9

  private let sdk: any RTSPLiveStreaming
  private var identity: StageLinkIdentity
  private let boot: String
  private let guarded: Bool
  private let clock: @Sendable () -> Int64
  private let wallClock: (@Sendable () -> Int64)?
  private let write: @Sendable ([UInt8]) -> Void

  private let lock = NSLock()
  private var state: State = .idle
  private var run: String?
  private var lastRun: String?
  private var ownerTimeout: Int64 = 10_000_000
  private var ownerGone = false
  private var lastHeard: Int64
  private var greeted = false
  private var sequence: Int64 = 0
  private var ring: [(sequence: Int64, text: [UInt8])] = []
  private var line: [UInt8] = []
  private var lineBegan: Int64 = 0
  private var skipping = false
  private var outbox: [UInt8] = []
  private var isSending = false

  /// - Parameters:
  ///   - guarded: RS and CRC are required of received records: on serial and USB.
  ///   - boot: random for each start of the app.
  ///   - clock: monotonic, in microseconds.
  ///   - wallClock: microseconds since 1970: by it the phone's own capture is laid beside the events. `nil`: not told.
  ///   - send: writes all of the bytes, in order; called on whichever thread had something to say, never on two at once.
  public init(
    _ identity: StageLinkIdentity, sdk: any RTSPLiveStreaming, guarded: Bool = false,
    boot: String = UUID().uuidString,
    clock: @escaping @Sendable () -> Int64 = { Int64(ProcessInfo.processInfo.systemUptime * 1e6) },
    wallClock: (@Sendable () -> Int64)? = { Int64(Date().timeIntervalSince1970 * 1e6) },
    send: @escaping @Sendable ([UInt8]) -> Void
  ) {
    self.identity = identity
    self.identity.ranges = identity.ranges.mapValues { $0.clamped(to: StageLinkAgent.most) }
    self.sdk = sdk
    self.guarded = guarded
    self.boot = StageLinkAgent.brief(boot, 64)
    self.clock = clock
    self.wallClock = wallClock
    write = send
    lastHeard = clock()
  }

  // MARK: What the app calls

  /// The channel was opened anew, or lost.
  public func linkReset() {
    lock.withLock { (line, skipping, greeted, outbox) = ([], false, false, []) }
  }

  /// Bytes from the harness, cut anywhere.
  public func receive(_ bytes: [UInt8]) {
    let now = clock()
    let requests = lock.withLock {
      dropStale(now)
      return bytes.compactMap { take($0, now) }
    }
    for request in requests { handle(request, now) }
    flush()
  }

  /// Heartbeats, and the end of a run whose owner went silent. Call it once a second.
  public func tick() {
    let now = clock()
    let mustStop = lock.withLock {
      dropStale(now)
      if greeted {
        notify("hb", ["t": .integer(now), "seq": .integer(sequence), "state": .string(state.rawValue), "run": runJSON])
      }
      guard run != nil, !ownerGone, now - lastHeard > ownerTimeout else { return false }
      ownerGone = true
      state = .stopping
      return true
    }
    if mustStop { sdk.stopRTSPLiveStreaming() }
    flush()
  }

  /// A claim beside the events of the flow, such as `x.worn` or `x.battery`.
  public func claim(_ name: String, _ data: [String: StageLinkJSON] = [:]) {
    let run = lock.withLock { self.run }
    emit(StageLinkAgent.brief(name.hasPrefix("x.") ? name : "x.\(name)", 64), run: run, data, source: "host")
  }

  /// A line of the app's log, for the harness's evidence.
  public func log(_ text: String) {
    let safe = String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 0x20 ? " " : $0 }.prefix(200)))
    // A space keeps it from looking like a record.
    lock.withLock { if greeted { outbox += Array(" \(safe)\n".utf8) } }
    flush()
  }

  private func handlers(_ run: String) -> LiveStreamingHandlers {
    func begins(_ name: String) -> @Sendable () -> Void { { self.emit(name, run: run) } }
    func completes(_ name: String) -> LiveStreamingHandlers.Completion {
      { success, error in self.emit(name, run: run, ["success": .bool(success), "error": StageLinkJSON(error)]) }
    }
    return LiveStreamingHandlers(
      configureHotspotStartingHandler: begins("configureHotspotStarting"),
      hotspotConfigureCompletionHandler: completes("hotspotConfigureCompletion"),
      enterLiveStreamingModeStartingHandler: begins("enterLiveStreamingModeStarting"),
      enterLiveStreamingModeCompletedHandler: completes("enterLiveStreamingModeCompleted"),
      waitingForHotspotOpenHandler: begins("waitingForHotspotOpen"),
      connectDeviceHotspotStartingHandler: { ssid in
        // The phone joins: the harness must not.
        let join = StageLinkJSON.object(["by": .string("device")])
        self.emit("connectDeviceHotspotStarting", run: run, ["ssid": .string(ssid), "join": join])
      },
      deviceHotspotConnectCompletionHandler: completes("deviceHotspotConnectCompletion"),
      rtspAddressReceivedHandler: { self.emit("rtspAddressReceived", run: run, ["address": .string($0)]) },
      sessionStartCompletionHandler: completes("sessionStartCompletion"),
      sessionFinishHandler: { userStopped, error in
        let isOwnerGone = self.lock.withLock { self.ownerGone && self.run == run }
        let gone = NSError(domain: "agent", code: 1, userInfo: [NSLocalizedDescriptionKey: "the owner went silent"])
        let why = StageLinkJSON(isOwnerGone ? error ?? gone : error)
        self.emit("sessionFinish", run: run, ["userStopped": .bool(userStopped && !isOwnerGone), "error": why])
      })
  }

  /// Numbers, keeps and sends an event. Its time is that of the call.
  private func emit(_ name: String, run: String?, _ data: [String: StageLinkJSON] = [:], source: String = "sdk") {
    let t = clock()
    let wall = ["rtspAddressReceived", "sessionFinish"].contains(name) ? wallClock?() : nil
    lock.withLock {
      sequence += 1
      var common: Members = [
        "seq": .integer(sequence), "boot": .string(boot), "run": run.map { .string($0) } ?? .null, "t": .integer(t),
        "name": .string(name), "src": .string(source),
      ]
      if let wall { common["wall"] = .integer(wall) }
      let members = StageLinkAgent.fitting(data.filter { $0.value != .null }, common)
      ring.append((sequence, StageLinkJSON.object(members).text))
      if ring.count > StageLinkAgent.ringCapacity { ring.removeFirst() }
      if self.run == run {
        if name == "sessionStartCompletion", data["success"] == .bool(true), state == .starting { state = .streaming }
        if name == "sessionFinish" { endRun() }
      }
      if greeted { notify("event", members) }
    }
    flush()
  }

  /// What no record could hold is said with a shorter message of its error, and without its largest members. What no
  /// reader of records takes, too deep or beyond ±2^53, is left out.
  private static func fitting(_ data: Members, _ common: Members) -> Members {
    // A page of events has four levels around a member.
    let taken = data.filter { StageLinkJSON((Array("[[[[".utf8) + $0.value.text + Array("]]]]".utf8))[...]) != nil }
    var members = taken.merging(common) { $1 }
    var excess: Int { StageLinkJSON.object(members).text.count - (recordLimit - 300) }
    if taken.count < data.count || excess > 0 { members["cut"] = .bool(true) }
    if excess > 0, case .object(var error)? = members["error"], let message = error["message"]?.string {
      error["message"] = .string(brief(message, StageLinkJSON.quoted(message).count - 2 - excess))
      members["error"] = .object(error)
    }
    for (key, _) in members.sorted(by: { $0.value.text.count > $1.value.text.count })
    where excess > 0 && common[key] == nil && key != "cut" { members[key] = nil }
    return members
  }

  /// The beginning of a text for people, in at most so many bytes of JSON.
  private static func brief(_ text: String, _ bytes: Int) -> String {
    var left = bytes
    func fits(_ character: Character) -> Bool {
      left -= StageLinkJSON.quoted(String(character)).count - 2
      return left >= 0
    }
    return String(text.prefix(while: fits))
  }

  private func endRun() { (lastRun, run, state, ownerGone) = (run, nil, .idle, false) }

  private var runJSON: StageLinkJSON { run.map { .string($0) } ?? .null }

  private func notify(_ method: String, _ params: Members) {
    send(["jsonrpc": .string("2.0"), "method": .string(method), "params": .object(params)])
  }

  private func send(_ record: Members) {
    let json = StageLinkJSON.object(record).text
    outbox += [0x1E] + json + Array(" *".utf8) + StageLinkAgent.checksum(json) + [0x0A]
  }

  /// Writes what waits, outside of the lock; one thread at a time, so that the order stays.
  private func flush() {
    while true {
      let bytes: [UInt8]? = lock.withLock {
        guard !isSending, !outbox.isEmpty else { return nil }
        isSending = true
        defer { outbox = [] }
        return outbox
      }
      guard let bytes else { return }
      write(bytes)
      lock.withLock { isSending = false }
    }
  }

  private static let crcTable: [UInt32] = (0..<256).map { n in
    (0..<8).reduce(UInt32(n)) { c, _ in c & 1 != 0 ? 0xEDB8_8320 ^ (c >> 1) : c >> 1 }
  }

  private static func checksum(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    let crc = ~bytes.reduce(UInt32.max) { crcTable[Int(($0 ^ UInt32($1)) & 0xFF)] ^ ($0 >> 8) }
    let text = String(crc, radix: 16)
    return Array((String(repeating: "0", count: 8 - text.count) + text).utf8)
  }

  private var looksLikeRecord: Bool { line.first == 0x1E || (!guarded && line.first == UInt8(ascii: "{")) }

  private func dropStale(_ now: Int64) {
    guard !line.isEmpty, now - lineBegan > 1_000_000 else { return }
    if looksLikeRecord { damaged(-32700, "no line feed for 1 s") }
    line = []
  }

  /// One byte from the channel.
  /// - Returns: the record that it ends.
  private func take(_ byte: UInt8, _ now: Int64) -> StageLinkJSON? {
    if byte == 0x0A {
      defer {
        line.removeAll(keepingCapacity: true)
        skipping = false
      }
      return skipping ? nil : endLine()
    }
    // A new record may begin inside a line that is thrown away.
    if skipping, byte != 0x1E { return nil }
    skipping = false
    if byte == 0x1E, !line.isEmpty {
      if looksLikeRecord, line.count > 1 { damaged(-32700, "cut short by the next record") }
      line.removeAll(keepingCapacity: true)
    }
    if line.isEmpty { lineBegan = now }
    line.append(byte)
    if line.count > StageLinkAgent.recordLimit + 12 {
      if looksLikeRecord { damaged(-32009, "too large") }
      line.removeAll(keepingCapacity: true)
      skipping = true
    }
    return nil
  }

  private func endLine() -> StageLinkJSON? {
    guard !line.isEmpty, looksLikeRecord else { return nil }
    var body = line[...]
    if body.first == 0x1E { body = body.dropFirst() }
    while let last = body.last, last == 0x0D || last == 0x20 { body = body.dropLast() }
    if body.count > 10, body.suffix(10).starts(with: Array(" *".utf8)) {
      let sent = body.suffix(8).map { $0 | 0x20 }
      body = body.dropLast(10)
      guard sent == StageLinkAgent.checksum(body) else { return damaged(-32700, "bad checksum") }
    } else if guarded {
      return damaged(-32700, "no checksum where the channel requires one")
    }
    guard body.count <= StageLinkAgent.recordLimit else { return damaged(-32009, "too large") }
    guard let json = StageLinkJSON(body), case .object = json else { return damaged(-32700, "not a JSON object") }
    return json
  }

  @discardableResult
  private func damaged(_ code: Int64, _ why: String) -> StageLinkJSON? {
    // Before the greeting, what is on the line may be the rest of something old.
    if greeted { send(error: Refusal(code: code, message: why), to: .null) }
    return nil
  }

  private func send(error: Refusal, to id: StageLinkJSON) {
    let message = StageLinkAgent.brief(error.message, 1000)
    var members: Members = ["code": .integer(error.code), "message": .string(message)]
    if error.data != .null { members["data"] = error.data }
    send(["jsonrpc": .string("2.0"), "id": id, "error": .object(members)])
  }

  // MARK: Requests

  private func handle(_ request: StageLinkJSON, _ now: Int64) {
    lock.withLock { lastHeard = now }
    guard let id = request["id"], let method = request["method"]?.string else { return }
    // Every reply has the id.
    guard id.text.count <= 68 else { return lock.withLock { _ = damaged(-32600, "id") } }
    do {
      let result = try answer(method, request["params"] ?? .null, now)
      let reply: Members = ["jsonrpc": .string("2.0"), "id": id, "result": .object(result)]
      guard StageLinkJSON.object(reply).text.count <= StageLinkAgent.recordLimit else {
        throw Refusal(code: -32009, message: "too large")
      }
      lock.withLock { send(reply) }
    } catch {
      // What is no refusal of ours is the SDK's own reason for not starting.
      let refusal = error as? Refusal ?? Refusal(code: -32008, message: error.localizedDescription)
      lock.withLock { send(error: refusal, to: id) }
    }
  }

  private func answer(_ method: String, _ params: StageLinkJSON, _ now: Int64) throws -> Members {
    switch method {
    case "hello": return try hello(params)
    case "start": return try start(params)
    case "stop": return try stop(params)
    case "ping": return ["d1": .integer(now), "d2": .integer(clock())]
    case "state":
      let ready = readiness
      return lock.withLock {
        ["state": .string(state.rawValue), "run": runJSON, "seq": .integer(sequence), "ready": ready]
      }
    case "events":
      guard let since = params["since"]?.integer, since >= 0 else { throw Refusal(code: -32602, message: "since") }
      return lock.withLock { page(since: since) }
    case "echo":
      guard let length = params["len"]?.integer, length >= 0 else { throw Refusal(code: -32602, message: "len") }
      let most = Int64(StageLinkAgent.recordLimit - 128)
      guard length <= most else {
        throw Refusal(code: -32009, message: "too large", data: .object(["most": .integer(most)]))
      }
      return ["data": .string(String(repeating: "e", count: Int(length)))]
    case "linkResult": throw Refusal(code: -32002, message: "the phone joins by itself")
    default: throw Refusal(code: -32601, message: "unknown method")
    }
  }

  private var readiness: StageLinkJSON {
    let reasons = sdk.notReadyReasons
    let said = reasons.prefix(8).map { StageLinkJSON.string(StageLinkAgent.brief($0, 200)) }
    return .object(["ok": .bool(reasons.isEmpty), "reasons": .array(said)])
  }

  private func hello(_ params: StageLinkJSON) throws -> Members {
    guard params["v"]?.array?.contains(.integer(1)) == true else {
      throw Refusal(code: -32010, message: "version", data: .object(["v": .array([.integer(1)])]))
    }
    guard let nonce = params["nonce"]?.string else { throw Refusal(code: -32602, message: "nonce") }
    lock.withLock { greeted = true }
    var result: Members = [
      "v": .integer(1), "nonce": .string(nonce), "boot": .string(boot),
      "agent": .object([
        "name": .string("stage-link-swift"), "version": .string(identity.agentVersion), "role": .string("app"),
        "underTest": .bool(identity.underTest),
      ]),
      "device": .object([
        "model": .string(identity.model), "serial": .string(identity.serial),
        "fw": .object(["version": .string(identity.firmware)]),
      ]),
      "sdk": .string(identity.sdk), "flows": .array([.string("rtsp-hotspot")]),
      "caps": .array(sdk.supportsRTSPLiveStreaming ? [.string("rtsp")] : []), "faults": .array([]),
      "limits": .object(["record": .integer(Int64(StageLinkAgent.recordLimit))]), "ready": readiness,
    ]
    if !identity.ranges.isEmpty { result["params"] = .object(identity.ranges.mapValues { StageLinkJSON($0) }) }
    if let probe = identity.probe {
      result["probe"] = .object(["host": .string(probe.host), "port": .integer(Int64(probe.port))])
    }
    return result
  }

  private func start(_ params: StageLinkJSON) throws -> Members {
    guard let wanted = params["run"]?.string, !wanted.isEmpty, wanted.utf8.count <= 64 else {
      throw Refusal(code: -32602, message: "run")
    }
    let current = lock.withLock { run }
    if current == wanted { return ["accepted": .bool(true)] }
    if let current { throw Refusal(code: -32001, message: "busy", data: .object(["owner": .string(current)])) }
    guard params["flow"]?.string == "rtsp-hotspot", sdk.supportsRTSPLiveStreaming else {
      throw Refusal(code: -32003, message: "unsupported")
    }
    guard sdk.notReadyReasons.isEmpty else { throw Refusal(code: -32006, message: "not ready", data: readiness) }
    let parameters = try parameters(params["params"])
    lock.withLock {
      (run, state, ownerGone) = (wanted, .starting, false)
      ownerTimeout = max(1000, min(params["ownerTimeoutMs"]?.integer ?? 10_000, 600_000)) * 1000
    }
    do {
      try sdk.startRTSPLiveStreaming(parameters: parameters, handlers: handlers(wanted))
    } catch {
      lock.withLock { if run == wanted { (run, state) = (nil, .idle) } }
      throw error
    }
    return ["accepted": .bool(true)]
  }

  private func parameters(_ json: StageLinkJSON?) throws -> LiveStreamingParameters? {
    guard let json, json.string != "default" else { return nil }
    func value(_ name: String, isWhole: Bool = true) throws -> Double {
      let range = identity.ranges[name]
      guard let value = json[name]?.double, value == 0 || (range ?? StageLinkAgent.most).contains(value),
        !isWhole || value == value.rounded()
      else {
        let bounds = range.map { StageLinkJSON($0) } ?? .null
        throw Refusal(code: -32004, message: name, data: .object(["param": .string(name), "range": bounds]))
      }
      return value
    }
    return LiveStreamingParameters(
      bitrate: try value("bitrate", isWhole: false), qualityFactor: Int(try value("qualityFactor")),
      iFrameInterval: Int(try value("iFrameInterval")))
  }

  private func stop(_ params: StageLinkJSON) throws -> Members {
    guard let wanted = params["run"]?.string else { throw Refusal(code: -32602, message: "run") }
    let mustStop = try lock.withLock {
      // The same stop twice is no error; another run's is.
      guard wanted == run || wanted == lastRun else { throw Refusal(code: -32002, message: "no such run") }
      guard wanted == run, state != .stopping else { return false }
      state = .stopping
      return true
    }
    if mustStop { sdk.stopRTSPLiveStreaming() }
    return ["accepted": .bool(true)]
  }

  /// The events after `since` that fit a record.
  private func page(since: Int64) -> Members {
    let oldest = (ring.first?.sequence ?? sequence + 1) - 1
    var (next, used) = (max(since, oldest), 0)
    var events: [StageLinkJSON] = []
    var more = false
    for (sequence, text) in ring where sequence > since {
      used += text.count + 1
      guard used <= StageLinkAgent.recordLimit - 200, let event = StageLinkJSON(text[...]) else {
        more = true
        break
      }
      events.append(event)
      next = sequence
    }
    return [
      "events": .array(events), "next": .integer(next), "more": .bool(more), "lost": .integer(max(0, oldest - since)),
    ]
  }
}

/// JSON as stage-link has it: nesting of 8 at most, integers within ±2^53.
public nonisolated enum StageLinkJSON: Hashable, Sendable, Decodable {
  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case string(String)
  case array([StageLinkJSON])
  case object([String: StageLinkJSON])

  init?(_ bytes: ArraySlice<UInt8>) {
    var (depth, quoted, escaped) = (0, false, false)
    for byte in bytes {
      switch byte {
      case _ where escaped: escaped = false
      case UInt8(ascii: "\\") where quoted: escaped = true
      case UInt8(ascii: "\""): quoted.toggle()
      case _ where quoted: break
      case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
      default: break
      }
      if depth > 8 { return nil }
    }
    guard let value = try? JSONDecoder().decode(StageLinkJSON.self, from: Data(bytes)) else { return nil }
    self = value
  }

  init(_ range: ClosedRange<Double>) { self = .array([.number(range.lowerBound), .number(range.upperBound)]) }

  /// Verbatim: domain, code and message of an error; null without one.
  init(_ error: (any Error)?) {
    func code(_ code: Int) -> StageLinkJSON {
      Int64(code).magnitude <= 1 << 53 ? .integer(Int64(code)) : .string("\(code)")
    }
    self =
      error.map { $0 as NSError }.map {
        .object(["domain": .string($0.domain), "code": code($0.code), "message": .string($0.localizedDescription)])
      } ?? .null
  }

  public init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    func read<T: Decodable>(_ make: (T) -> StageLinkJSON) -> StageLinkJSON? { (try? value.decode(T.self)).map(make) }
    let plain =
      value.decodeNil() ? .null : read(StageLinkJSON.bool) ?? read(StageLinkJSON.integer) ?? read(StageLinkJSON.number)
    self =
      try plain ?? read(StageLinkJSON.string) ?? read(StageLinkJSON.array)
      ?? .object(value.decode([String: StageLinkJSON].self))
    if let integer, integer.magnitude > 1 << 53 {
      throw DecodingError.dataCorruptedError(in: value, debugDescription: "beyond ±2^53")
    }
  }

  subscript(_ key: String) -> StageLinkJSON? { if case .object(let members) = self { members[key] } else { nil } }
  var string: String? { if case .string(let text) = self { text } else { nil } }
  var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
  var array: [StageLinkJSON]? { if case .array(let values) = self { values } else { nil } }
  var double: Double? { if case .number(let number) = self { number } else { integer.map { Double($0) } } }

  /// UTF-8, keys sorted, without raw control bytes.
  var text: [UInt8] {
    switch self {
    case .null: Array("null".utf8)
    case .bool(let value): Array((value ? "true" : "false").utf8)
    case .integer(let value): Array(String(value).utf8)
    case .number(let value): Array((value.isFinite ? String(value) : "null").utf8)
    case .string(let value): StageLinkJSON.quoted(value)
    case .array(let values): Array("[".utf8) + values.map(\.text).joined(separator: [0x2C]) + Array("]".utf8)
    case .object(let members):
      Array("{".utf8)
        + members.sorted { $0.key < $1.key }.map { StageLinkJSON.quoted($0.key) + [0x3A] + $0.value.text }
        .joined(separator: [0x2C]) + Array("}".utf8)
    }
  }

  fileprivate static func quoted(_ text: String) -> [UInt8] {
    var out: [UInt8] = [0x22]
    for byte in text.utf8 {
      switch byte {
      case 0x22, 0x5C: out += [0x5C, byte]
      case 0..<0x20, 0x7F: out += Array("\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8)
      default: out.append(byte)
      }
    }
    return out + [0x22]
  }
}
