import Foundation
import RigDevice
import RigDrivers
import RigLoop
import RigModel
import RigTestSupport
import RigWire
import StageLinkAgent
import Testing

@Suite struct SwiftAgentTests {
  private func onBench<R: Sendable>(
    guarded: Bool = false, _ body: @escaping @Sendable (AgentBench) async throws -> R
  ) throws -> R {
    let loop = VirtualLoop()
    return try loop.run {
      let bench = AgentBench(loop, guarded: guarded)
      defer { bench.end() }
      return try await body(bench)
    }
  }

  private func code(_ body: () async throws -> Void) async -> Int64 {
    do {
      try await body()
      return 0
    } catch { return (error as? StageLinkError)?.code ?? -1 }
  }

  private static let names = [
    "configureHotspotStarting", "hotspotConfigureCompletion", "enterLiveStreamingModeStarting",
    "enterLiveStreamingModeCompleted", "waitingForHotspotOpen", "connectDeviceHotspotStarting",
    "deviceHotspotConnectCompletion", "rtspAddressReceived", "sessionStartCompletion", "sessionFinish",
  ]

  @Test(arguments: [false, true]) func everyCallbackBecomesItsEvent(_ guarded: Bool) throws {
    try onBench(guarded: guarded) { bench in
      let hello = try await bench.driver.open { [log = bench.log] in log.take($0) }
      #expect(hello.role == .app && hello.model == "swift-demo" && hello.capabilities == ["rtsp"])
      #expect(hello.ranges["bitrate"] == 0.25...8 && hello.probe?.port == 80)
      try await bench.start("r1", ["bitrate": .number(2.5), "qualityFactor": 0, "iFrameInterval": 29])
      #expect(bench.sdk.parameters?.bitrate == 2.5 && bench.sdk.parameters?.qualityFactor == 0)
      _ = await bench.log.event("sessionStartCompletion")
      #expect(try await bench.call("state")["state"] == "streaming")
      _ = try await bench.call("stop", ["run": "r1"])
      let end = await bench.log.event("sessionFinish")
      #expect(end?.data == ["userStopped": true])
      #expect(bench.log.eventNames == SwiftAgentTests.names)
      let events = bench.log.signals.compactMap(\.event)
      #expect(events.map(\.sequence) == Array(1...10))
      #expect(events.allSatisfy { $0.run == "r1" && $0.source == "sdk" && $0.occurred != nil })
      #expect(events[5].data == ["join": ["by": "device"], "ssid": "Gläser-\u{1F453}"])
      #expect(events[7].data == ["address": "rtsp://192.168.42.1:554/live"])
      #expect(bench.log.signals.allSatisfy { $0.event != nil }, "a loss, damage or log")
    }
  }

  @Test(
    arguments: [
      "hotspotConfigureCompletion", "enterLiveStreamingModeCompleted", "deviceHotspotConnectCompletion",
      "sessionStartCompletion",
    ])
  func aRefusalIsPassedOnVerbatim(_ completion: String) throws {
    try onBench { bench in
      _ = try await bench.driver.open { [log = bench.log] in log.take($0) }
      bench.sdk.refuses = completion
      try await bench.start()
      let refusal = await bench.log.event(completion)
      let error = DeviceError(domain: "camera", code: 17, message: "closed \"by\" system")
      #expect(refusal?.success == false && refusal?.error == error)
      let end = await bench.log.event("sessionFinish")
      #expect(end?.data["userStopped"] == false && end?.error == error)
      #expect(bench.log.eventNames.suffix(2) == [completion, "sessionFinish"])
      bench.sdk.refuses = nil
      try await bench.start("r2")
      #expect(await bench.log.event("sessionStartCompletion")?.run == "r2")
    }
  }

  /// By these two the phone's own capture is laid beside the events.
  @Test func theAddressAndTheEndTellTheWallClock() throws {
    let loop = VirtualLoop()
    try loop.run {
      let wall: @Sendable () -> Int64 = { 1_700_000_000_000_000 + loop.now.nanoseconds / 1000 }
      let bench = AgentBench(loop, wallClock: wall)
      defer { bench.end() }
      _ = try await bench.driver.open { [log = bench.log] in log.take($0) }
      try await bench.start()
      _ = await bench.log.event("sessionStartCompletion")
      _ = try await bench.call("stop", ["run": "r1"])
      _ = await bench.log.event("sessionFinish")
      let told = bench.log.signals.compactMap(\.event).filter { $0.data["wall"] != nil }
      #expect(told.map(\.name) == ["rtspAddressReceived", "sessionFinish"])
      for event in told {
        let occurred = try #require(event.occurred)
        let error = try #require(event.data["wall"]?.integer) - 1_700_000_000_000_000 - occurred.nanoseconds / 1000
        #expect(abs(error) <= 1)
      }
    }
  }

  /// A part of an address would look like another one; of a message, the beginning is worth something.
  @Test func whatNoRecordHoldsIsNeverCutButForMessages() throws {
    try onBench { bench in
      _ = try await bench.driver.open { [log = bench.log] in log.take($0) }
      bench.sdk.address = "rtsp://192.168.42.1/" + String(repeating: "a", count: 5000)
      bench.sdk.refuses = "sessionStartCompletion"
      let message = String(repeating: "the \"camera\"\n", count: 2000)
      bench.sdk.error = NSError(domain: "camera", code: 17, userInfo: [NSLocalizedDescriptionKey: message])
      try await bench.start()
      let address = await bench.log.event("rtspAddressReceived")
      #expect(address?.data == ["cut": true])
      let refusal = await bench.log.event("sessionStartCompletion")
      #expect(refusal?.success == false && refusal?.data["cut"] == true)
      #expect(refusal?.error?.domain == "camera" && refusal?.error?.code == 17)
      let kept = refusal?.error?.message ?? ""
      #expect(kept.utf8.count > 1500 && message.hasPrefix(kept))
      let end = await bench.log.event("sessionFinish")
      #expect(end?.data["userStopped"] == false && end?.error?.code == 17)
      bench.agent.claim("battery", ["percent": .integer(80), "note": .string(message), "t": .integer(25)])
      #expect(await bench.log.event("x.battery")?.data == ["cut": true, "percent": 80])
    }
  }

  @Test func aStartThatTheSDKDoesNotTake() throws {
    try onBench { bench in
      _ = try await bench.driver.open { [log = bench.log] in log.take($0) }
      bench.sdk.throwsAtStart = "camera not available"
      #expect(await code { try await bench.start() } == -32008)
      bench.sdk.throwsAtStart = nil
      bench.sdk.notReadyReasons = ["worn"]
      #expect(await code { try await bench.start() } == -32006)
      bench.sdk.notReadyReasons = []
      bench.sdk.supportsRTSPLiveStreaming = false
      #expect(await code { try await bench.start() } == -32003)
      bench.sdk.supportsRTSPLiveStreaming = true
      let wrong: JSONValue = ["bitrate": 9, "qualityFactor": 1, "iFrameInterval": 29]
      #expect(await code { try await bench.start("r1", wrong) } == -32004)
      try await bench.start()
      #expect(await code { _ = try await bench.call("stop", ["run": "r2"]) } == -32002)
    }
  }

  /// A quality of 2.7 is not one of 2; what no integer holds is refused, whatever the app says of its ranges.
  @Test(
    arguments: [
      ("qualityFactor", .number(2.7)), ("iFrameInterval", .number(9.9)), ("qualityFactor", .number(1e30)),
      ("bitrate", .number(1e30)), ("iFrameInterval", .number(-1e19)),
    ] as [(String, JSONValue)])
  func aParameterIsTakenAsItIsOrNotAtAll(_ name: String, _ value: JSONValue) throws {
    let loop = VirtualLoop()
    try loop.run {
      let endless: [String: ClosedRange<Double>] = ["qualityFactor": 0...Double.infinity, "bitrate": 0...1e300]
      let bench = AgentBench(loop, ranges: endless)
      defer { bench.end() }
      let hello = try await bench.driver.open { [log = bench.log] in log.take($0) }
      #expect(hello.ranges == ["qualityFactor": 0...1e9, "bitrate": 0...1e9])
      var wanted: [(String, JSONValue)] = [("bitrate", 2), ("qualityFactor", 2), ("iFrameInterval", 9)]
      wanted = wanted.map { $0.0 == name ? (name, value) : $0 }
      let members = wanted.map { JSONValue.Member($0.0, $0.1) }
      #expect(await code { try await bench.start("r1", .object(members)) } == -32004)
      try await bench.start("r1", ["bitrate": .number(2.5), "qualityFactor": .number(2.0), "iFrameInterval": 9])
      #expect(bench.sdk.parameters?.qualityFactor == 2 && bench.sdk.parameters?.iFrameInterval == 9)
    }
  }

  /// Whatever the SDK says, its answer arrives: a refused start is not a silent one.
  @Test func aReplyOfAnyLengthArrives() throws {
    let long = String(repeating: "the \"camera\"\u{1}", count: 1000)
    try onBench { bench in
      _ = try await bench.driver.open { [log = bench.log] in log.take($0) }
      bench.sdk.throwsAtStart = long
      var refusal: StageLinkError?
      do { try await bench.start() } catch { refusal = error as? StageLinkError }
      #expect(refusal?.code == -32008)
      let message = refusal?.message ?? ""
      #expect(message.utf8.count > 500 && long.hasPrefix(message))
      bench.sdk.throwsAtStart = nil
      bench.sdk.notReadyReasons = Array(repeating: long, count: 100)
      #expect(await code { try await bench.start() } == -32006)
      let reasons = try await bench.call("state")["ready"]?["reasons"]?.array ?? []
      #expect(!reasons.isEmpty && reasons.allSatisfy { long.hasPrefix($0.string ?? "-") })
    }
    let sent = Sent()
    let agent = StageLinkAgent(StageLinkIdentity(model: "m"), sdk: EagerSDK()) { sent.add($0) }
    let framing = RecordFraming(guarded: true)
    for id in ["1", "\"\(String(repeating: "i", count: 3900))\""] {
      agent.receive(framing.encode(Array(#"{"id":\#(id),"method":"hello","params":{"v":[1],"nonce":"n"}}"#.utf8)))
    }
    let replies = records(sent.bytes, framing)
    #expect(replies.count == 2 && replies.last?["error"]?["code"] == -32600)
  }

  /// What a record cannot hold is left out, and does not stand in the way of what comes after.
  @Test func whatNoReaderTakesIsLeftOut() throws {
    try onBench { bench in
      _ = try await bench.driver.open { [log = bench.log] in log.take($0) }
      bench.opener.isUnplugged = true
      bench.opener.cut()
      bench.sdk.refuses = "sessionStartCompletion"
      bench.sdk.error = NSError(domain: "camera", code: .min, userInfo: [NSLocalizedDescriptionKey: "closed"])
      var deep = StageLinkJSON.integer(1)
      for _ in 0..<5 { deep = .array([deep]) }
      bench.agent.claim("deep", ["value": deep, "kept": .array([.integer(1)])])
      bench.agent.claim("large", ["value": .integer(1 << 53 + 1)])
      bench.agent.claim(String(repeating: "n", count: 5000))
      bench.opener.isUnplugged = false
      #expect(await bench.log.event("x.deep")?.data == ["cut": true, "kept": [1]])
      #expect(await bench.log.event("x.large")?.data == ["cut": true])
      #expect(await bench.log.event("x." + String(repeating: "n", count: 62)) != nil)
      try await bench.start()
      let refusal = await bench.log.event("sessionStartCompletion")
      #expect(refusal?.data["error"]?["code"] == "-9223372036854775808" && refusal?.error?.message == "closed")
      #expect(!bench.log.signals.contains { if case .eventsLost = $0 { true } else { false } })
    }
  }

  private func records(_ bytes: [UInt8], _ framing: RecordFraming) -> [JSONValue] {
    var decoder = RecordDecoder(framing)
    decoder.push(bytes, at: .zero)
    var records: [JSONValue] = []
    while let item = decoder.next() { if case .record(let json) = item { records.append(json) } }
    #expect(decoder.damagedCount == 0)
    return records
  }

  @Test func whatHappenedWhileTheLinkWasDownIsReplayed() throws {
    try onBench { bench in
      _ = try await bench.driver.open { [log = bench.log] in log.take($0) }
      try await bench.start()
      _ = await bench.log.event("hotspotConfigureCompletion")
      bench.opener.isUnplugged = true
      bench.opener.cut()
      try await bench.loop.sleep(for: .seconds(2))
      bench.opener.isUnplugged = false
      #expect(await bench.log.event("sessionStartCompletion") != nil)
      #expect(bench.log.eventNames == Array(SwiftAgentTests.names.dropLast()))
      #expect(!bench.log.signals.contains { if case .eventsLost = $0 { true } else { false } })
    }
  }

  @Test func logsAndClaimsGoBesideTheEvents() throws {
    try onBench { bench in
      _ = try await bench.driver.open { [log = bench.log] in log.take($0) }
      bench.agent.log("{\"looks\": \"like\na record\"}")
      bench.agent.claim("worn", ["value": .bool(true)])
      let claim = await bench.log.event("x.worn")
      #expect(claim?.source == "host" && claim?.data == ["value": true])
      #expect(
        bench.log.signals.contains {
          if case .deviceLog(let text) = $0 { text == Array(" {\"looks\": \"like a record\"}".utf8) } else { false }
        })
    }
  }

  /// It takes no faults and offers no reset: the steps of these are skipped, and every other is as everywhere.
  @Test(arguments: [false, true]) func itConforms(_ guarded: Bool) throws {
    let found = try onBench(guarded: guarded) { bench in await ConformanceLines.found(bench.loop, bench.opener) }
    let expected = try ConformanceLines.expected(over: guarded ? "serial" : "tcp")
    #expect(found.count == expected.count)
    for (line, expected) in zip(found, expected) where line != expected {
      let title = expected.dropFirst(3)
      let isFault = ["inject:", "faults:", "clear:", "fault:"].contains {
        title.split(separator: " ").dropFirst().first == $0[...]
      }
      #expect(line == "skipped \(title): \(isFault ? "the device takes no faults (caps)" : "the device offers none")")
    }
    #expect(found.count { $0.hasPrefix("skipped") } == 14)
  }

  /// Handlers come on any thread: numbers have no gap, and leave in order.
  @Test func handlersOnManyThreads() {
    let sent = Sent()
    let sdk = EagerSDK()
    let agent = StageLinkAgent(StageLinkIdentity(model: "m"), sdk: sdk) { sent.add($0) }
    let framing = RecordFraming(guarded: true)
    for (id, method, params) in [
      (1, "hello", ["v": [1], "nonce": "n"]), (2, "start", ["run": "r", "flow": "rtsp-hotspot"]),
    ] as [(Int64, String, JSONValue)] {
      agent.receive(StageLinkMessage.request(id: id, method: method, params: params).encoded(framing))
    }
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<200 { sdk.handlers?.waitingForHotspotOpenHandler() }
    }
    let events = records(sent.bytes, framing).filter { $0["method"] == "event" }
    #expect(events.compactMap { $0["params"].flatMap { StageLinkEvent(params: $0)?.sequence } } == Array(1...1600))
  }

  // Unchecked: under a lock.
  private final class Sent: @unchecked Sendable {
    private let lock = NSLock()
    private(set) var bytes: [UInt8] = []
    func add(_ more: [UInt8]) { lock.withLock { bytes += more } }
  }

  // Unchecked: set once, before other threads look.
  private final class EagerSDK: RTSPLiveStreaming, @unchecked Sendable {
    let notReadyReasons: [String] = []
    let supportsRTSPLiveStreaming = true
    private(set) var handlers: LiveStreamingHandlers?
    func startRTSPLiveStreaming(parameters: LiveStreamingParameters?, handlers: LiveStreamingHandlers) {
      self.handlers = handlers
    }
    func stopRTSPLiveStreaming() {}
  }
}
