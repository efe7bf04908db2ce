import RigDevice
import RigLoop
import RigModel
import RigWire

/// The steps of `StageLinkConformance`.
// Unchecked: touched only on the loop's thread.
final class ConformanceScript: @unchecked Sendable {
  private let loop: Loop
  private let connect: @Sendable () -> any DeviceDriver
  private var driver: any DeviceDriver
  private var log: SignalLog
  private var boot = ""
  private(set) var lines: [String] = []

  init(_ loop: Loop, _ connect: @escaping @Sendable () -> any DeviceDriver) {
    self.loop = loop
    self.connect = connect
    driver = connect()
    log = SignalLog(loop)
  }

  private func say(_ line: String) { lines.append(line) }

  private nonisolated(nonsending) func call(
    _ method: String, _ params: JSONValue = [:]
  ) async -> Result<JSONValue, StageLinkError> {
    do {
      return .success(try await driver.call(method, params, timeout: .seconds(5)))
    } catch let error as StageLinkError {
      return .failure(error)
    } catch {
      return .failure(StageLinkError(.internalError, "\(error)"))
    }
  }

  private nonisolated(nonsending) func ask(
    _ what: String, _ method: String, _ params: JSONValue = [:], _ read: (JSONValue) -> String
  ) async {
    switch await call(method, params) {
    case .success(let result): say("\(what): \(read(result))")
    case .failure(let error):
      let owner = error.data["owner"]?.string.map { " owner \($0)" } ?? ""
      let range = error.data["range"] == nil || error.data["param"] == nil ? "" : " range"
      say("\(what): \(error.code)\(owner)\(range)")
    }
  }

  private static func accepted(_ result: JSONValue) -> String {
    result["accepted"]?.bool == true ? "accepted" : "not accepted"
  }

  private nonisolated(nonsending) func open() async -> Hello? {
    driver = connect()
    let log = SignalLog(loop)
    self.log = log
    // The device may be booting.
    for _ in 0..<40 {
      if let hello = try? await driver.open({ log.take($0) }) { return hello }
      try? await loop.sleep(for: .milliseconds(100))
      driver = connect()
    }
    return nil
  }

  private nonisolated(nonsending) func state(_ what: String = "state") async {
    await ask(what, "state") { "\($0["state"]?.string ?? "?"), run \($0["run"]?.string ?? "none")" }
  }

  private nonisolated(nonsending) func finish() async {
    let end = await log.event("sessionFinish")
    let error = end?.error.map { ", error \($0.domain) \($0.code)" } ?? ""
    say("sessionFinish: userStopped \(end?.data["userStopped"]?.bool.map { "\($0)" } ?? "missing")\(error)")
    // Its clean-up goes on for a moment.
    for _ in 0..<100 {
      if case .success(let state) = await call("state"), state["state"]?.string == "idle" { return }
      try? await loop.sleep(for: .milliseconds(20))
    }
  }

  // MARK: Steps

  nonisolated(nonsending) func greeting() async {
    guard let hello = await open() else { return say("hello: no answer") }
    boot = hello.boot
    let flow = hello.flows.contains("rtsp-hotspot") ? "rtsp-hotspot" : "missing"
    say("hello: stage-link/\(hello.version), flow \(flow), \(hello.ready ? "ready" : "not ready")")
    await ask("hello v 2", "hello", ["v": [2], "nonce": "n"]) { $0.text }
    await ask("hello without nonce", "hello", ["v": [1]]) { $0.text }
    await state()
  }

  nonisolated(nonsending) func requests() async {
    for length in [0, 511, 512, 513, 1024, 5000, -1] {
      await ask("echo \(length)", "echo", ["len": .integer(Int64(length))]) {
        "\($0["data"]?.string?.utf8.count ?? -1) bytes"
      }
    }
    await ask("echo", "echo") { $0.text }
    if case .success(let first) = await call("ping", ["h0": 1]), case .success(let second) = await call("ping"),
      let d1 = first["d1"]?.integer, let d2 = first["d2"]?.integer, let later = second["d1"]?.integer
    {
      say("ping: the clock goes \(d1 <= d2 && d2 <= later ? "forward" : "backward")")
    }
    await ask("unknown method", "makeCoffee") { $0.text }
    await ask("log", "log", ["since": 0, "max": 3]) { "at most \(max(3, $0["lines"]?.array?.count ?? 99)) lines" }
    await ask("log goes on", "log", ["since": 3, "max": 3]) {
      "at most \(max(3, $0["lines"]?.array?.count ?? 99)) lines"
    }
    await ask("events since -1", "events", ["since": -1]) { $0.text }
  }

  nonisolated(nonsending) func faults() async {
    var known: [String] = []
    var from: Int64 = 0
    while case .success(let page) = await call("faults", ["from": .integer(from)]), known.count < 10_000 {
      known += page["faults"]?.array?.compactMap(\.string) ?? []
      guard page["more"]?.bool == true, let next = page["next"]?.integer, next > from else { break }
      from = next
    }
    // A verb may stand there more than once, with other stages: `flow refuse` is two faults.
    let pagedAll = known.count > 32 && known.contains("flow hang") && known.contains("control-link damaged-record")
    say(
      "fault list: \(pagedAll ? "paged" : "\(known.count)"), \(Set(known).count + 1 >= known.count ? "none" : "some") twice"
    )
    await ask("inject of nothing", "inject", ["at": ["stage": "finish"]]) { $0.text }
    await ask("inject unknown fault", "inject", ["fault": "melt", "at": ["stage": "finish"]]) { $0.text }
    await ask("inject at a wrong stage", "inject", ["fault": "hang", "at": ["stage": "finish"]]) { $0.text }
    await ask("inject nowhere", "inject", ["fault": "hang"]) { $0.text }
    let hang: JSONValue = ["fault": "hang", "at": ["stage": "enter-live-mode"], "args": [:], "count": 1]
    var id = ""
    await ask("inject", "inject", hang) {
      id = $0["id"]?.string ?? ""
      return id.isEmpty ? "no id" : "id"
    }
    await ask("clear it", "clear", ["id": .string(id)]) { _ in "ok" }
    await ask("clear it again", "clear", ["id": .string(id)]) { _ in "ok" }
    await ask("clear all", "clear") { _ in "ok" }
  }

  private func request(_ run: String, params: JSONValue = "default", owner: Int64 = 10_000) -> JSONValue {
    ["run": .string(run), "flow": "rtsp-hotspot", "params": params, "ownerTimeoutMs": .integer(owner)]
  }

  nonisolated(nonsending) func starting() async {
    await ask("start without run", "start", ["flow": "rtsp-hotspot"]) { $0.text }
    await ask("start of an unknown flow", "start", ["run": "r0", "flow": "walk"], ConformanceScript.accepted)
    let wrong: JSONValue = ["bitrate": 9000, "qualityFactor": 1, "iFrameInterval": 29]
    await ask("start with a wrong bitrate", "start", request("r0", params: wrong), ConformanceScript.accepted)
    await ask("stop before any start", "stop", ["run": "r0"], ConformanceScript.accepted)
    await ask("start", "start", request("r1"), ConformanceScript.accepted)
    await ask("start again", "start", request("r1"), ConformanceScript.accepted)
    await ask("start of another run", "start", request("r2"), ConformanceScript.accepted)
    await ask("stop of another run", "stop", ["run": "r2"], ConformanceScript.accepted)
    _ = await log.event("deviceHotspotConnectCompletion")
    // The last two come in either order.
    _ = await log.first { $0.event?.name == "rtspAddressReceived" || $0.event?.name == "sessionStartCompletion" }
    _ = await log.first { $0.event?.name == "rtspAddressReceived" || $0.event?.name == "sessionStartCompletion" }
    let names = log.eventNames
    say((names.dropLast(2) + [names.suffix(2).sorted().joined(separator: " and ")]).joined(separator: ", "))
    await state()
    await ask("stop", "stop", ["run": "r1"], ConformanceScript.accepted)
    await ask("stop again", "stop", ["run": "r1"], ConformanceScript.accepted)
    await finish()
    await ask("stop after the end", "stop", ["run": "r1"], ConformanceScript.accepted)
    await state()
  }

  private nonisolated(nonsending) func events(since first: Int64) async -> [StageLinkEvent] {
    var since = first
    var all: [StageLinkEvent] = []
    while case .success(let page) = await call("events", ["since": .integer(since)]) {
      all += page["events"]?.array?.compactMap { StageLinkEvent(params: $0) } ?? []
      guard page["more"]?.bool == true, let next = page["next"]?.integer, next > since else { break }
      since = next
    }
    return all
  }

  nonisolated(nonsending) func replay() async {
    let replayed = await events(since: 0)
    let live = log.signals.compactMap(\.event)
    let numbers = replayed.map(\.sequence)
    let isWhole = numbers == (1...max(1, Int64(numbers.count))).map { $0 }
    let isSame =
      replayed.map(\.name) == live.map(\.name) && replayed.map(\.run) == live.map(\.run)
      && replayed.map(\.data) == live.map(\.data)
    say(
      "replay: \(isWhole && isSame ? "every event once, in order" : "\(replayed.map(\.name)), live \(live.map(\.name))")"
    )
    let after = await events(since: numbers.last ?? 0)
    say("replay since the last: \(after.isEmpty ? "nothing" : "\(after.map(\.name))")")
  }

  nonisolated(nonsending) func refusal() async {
    let fault: JSONValue = [
      "fault": "refuse", "at": ["stage": "enter-live-mode"], "args": ["code": 77, "message": "no"],
    ]
    _ = await call("inject", fault)
    _ = await call("start", request("r2"))
    let end = await log.event("enterLiveStreamingModeCompleted")
    let error = end?.error.map { "\($0.domain) \($0.code)" } ?? "none"
    say("refuse at enter-live-mode: success \(end?.success.map { "\($0)" } ?? "missing"), error \(error)")
    await finish()
  }

  nonisolated(nonsending) func reconnecting() async {
    _ = await call("start", request("r3"))
    _ = await log.event("hotspotConfigureCompletion")
    await driver.close()
    guard let hello = await open() else { return say("reconnect: no answer") }
    await ask("reconnect", "state") {
      "\(hello.boot == boot ? "same" : "another") boot, run \($0["run"]?.string ?? "none")"
    }
    let started = await log.event("sessionStartCompletion")
    say("the run goes on: \(started?.run == "r3" ? started?.name ?? "" : "no")")
    _ = await call("stop", ["run": "r3"])
    await finish()
  }

  nonisolated(nonsending) func ownerTimeout() async {
    // Longer than the harness's ping period, which keeps a run alive.
    _ = await call("start", request("r4", owner: 6000))
    _ = await log.event("sessionStartCompletion")
    guard case .success(let before) = await call("state") else { return say("owner silent: no state") }
    await driver.close()
    try? await loop.sleep(for: .seconds(9))
    guard await open() != nil else { return say("owner silent: no answer") }
    await ask("owner silent", "state") {
      "state \($0["state"]?.string ?? "?"), run \($0["run"]?.string ?? "none")"
    }
    let missed = await events(since: before["seq"]?.integer ?? 0)
    let end = missed.first { $0.name == "sessionFinish" }
    say("owner silent: sessionFinish userStopped \(end?.data["userStopped"]?.bool.map { "\($0)" } ?? "missing")")
  }

  nonisolated(nonsending) func reset() async {
    await ask("reset to nowhere", "reset", ["level": "factory"], ConformanceScript.accepted)
    await ask("reset", "reset", ["level": "device"], ConformanceScript.accepted)
    let lost = await log.first { if case .controlLost = $0 { true } else { false } }
    say(lost == nil ? "link stays" : "link lost")
    await driver.close()
    let hello = await open()
    await ask("after the reset", "state") {
      let isNew = hello != nil && hello?.boot != boot
      let events = $0["seq"]?.integer == 0 ? "no events" : "events"
      return "\(isNew ? "another" : "the same") boot, \($0["state"]?.string ?? "?"), \(events)"
    }
    await driver.close()
  }
}
