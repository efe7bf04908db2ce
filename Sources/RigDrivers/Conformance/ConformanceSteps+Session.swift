import RigDevice
import RigLoop
import RigModel
import RigWire

/// Sessions from their start to their end.
extension ConformanceSteps {
  // MARK: Refusals

  func request(_ run: String, params: JSONValue = "default", owner: Int64 = 60_000) -> JSONValue {
    ["run": .string(run), "flow": "rtsp-hotspot", "params": params, "ownerTimeoutMs": .integer(owner)]
  }

  /// Why no session can be tried; `nil`: it can.
  var noSession: String? {
    guard let hello else { return "there was no hello" }
    if !settings.sessions { return "sessions were not asked for" }
    if !hello.flows.contains("rtsp-hotspot") { return "the device does not know the flow rtsp-hotspot" }
    if !hello.capabilities.contains("rtsp") { return "the device cannot stream over RTSP (caps)" }
    if !hello.ready { return "the device is not ready: \(hello.notReadyReasons.joined(separator: ", "))" }
    return nil
  }

  nonisolated(nonsending) func refusals() async {
    say("start: without a run is refused with -32602", await refused("start", ["flow": "rtsp-hotspot"], .invalidParams))
    say(
      "start: an unknown flow is refused with -32003",
      await refused("start", ["run": "c0", "flow": "walk"], .unsupported))
    say("stop: without a run is refused with -32602", await refused("stop", [:], .invalidParams))
    say("stop: before any start is refused with -32002", await refused("stop", ["run": "c0"], .badState))
    let title = "start: a parameter out of its range is refused with -32004"
    guard noSession == nil else { return say(title, .skipped(noSession ?? "")) }
    guard let ranges = hello?.ranges, let (name, range) = ranges.min(by: { $0.key < $1.key }) else {
      return say(title, .skipped("the device publishes no ranges"))
    }
    var params = ranges.sorted { $0.key < $1.key }.map { JSONValue.Member($0.key, .number($0.value.lowerBound)) }
    for name in ["bitrate", "qualityFactor", "iFrameInterval"] where ranges[name] == nil {
      params.append(JSONValue.Member(name, 0))
    }
    params = params.map { $0.key == name ? .init(name, .integer(Int64(range.upperBound.rounded(.up)) + 1)) : $0 }
    say(title, await refused("start", request("c0", params: .object(params)), .badParam))
  }

  // MARK: A session

  private static let order = [
    "configureHotspotStarting", "hotspotConfigureCompletion", "enterLiveStreamingModeStarting",
    "enterLiveStreamingModeCompleted", "waitingForHotspotOpen", "connectDeviceHotspotStarting",
    "deviceHotspotConnectCompletion",
  ]

  nonisolated(nonsending) func session() async {
    let titles = [
      "start: accepted", "start: the same run again is no error, and no second start",
      "start: another run is refused with -32001 and names the owner", "stop: another run is refused with -32002",
      "session: it starts", "session: the events of the flow, in order, each once", "session: they are of this run",
      "state: the run that is on", "stop: accepted", "stop: again is no error", "finish: userStopped is true",
      "finish: once, and nothing after it", "stop: after the end is no error", "state: no run any more",
      "events: numbered without a gap, of one boot", "events: their times go forward",
    ]
    if let why = noSession {
      for title in titles { say(title, .skipped(why)) }
      return
    }
    let startedAt = await link()?.events.count ?? 0
    say(titles[0], await accepted("start", request("c1")))
    let again = await accepted("start", request("c1"))
    let other = await ask("start", request("c2"))
    let foreignStop = await refused("stop", ["run": "c2"], .badState)
    guard let link = await link() else { return say(titles[1], .notOK("no connection")) }
    let started = await link.event("sessionStartCompletion", run: "c1", in: settings.patience)
    _ = await link.event("rtspAddressReceived", run: "c1", in: .seconds(10))
    func all() -> [StageLinkEvent] {
      link.events.dropFirst(startedAt).filter { !$0.name.hasPrefix("x.") }
    }
    let begins = all().count { $0.name == ConformanceSteps.order[0] }
    say(titles[1], again == .ok ? check(begins == 1, "\(begins) beginnings") : again)
    if case .error(let error) = other, error.known == .busy {
      say(titles[2], check(error.data["owner"]?.string == "c1", "owner \(error.data["owner"]?.text ?? "missing")"))
    } else {
      say(titles[2], .notOK(other.text))
    }
    say(titles[3], foreignStop)
    say(
      titles[4],
      check(started?.data["success"]?.bool == true, started.map { $0.params.text } ?? "no sessionStartCompletion"))
    let names = all().map(\.name)
    let last = Set(names.dropFirst(ConformanceSteps.order.count))
    say(
      titles[5],
      check(
        Array(names.prefix(ConformanceSteps.order.count)) == ConformanceSteps.order
          && last == ["rtspAddressReceived", "sessionStartCompletion"]
          && names.count == ConformanceSteps.order.count + 2, names.joined(separator: ", ")))
    say(titles[6], check(all().allSatisfy { $0.run == "c1" }, "\(Set(all().map { $0.run ?? "none" }).sorted())"))
    let state = await result("state")
    say(titles[7], check(state?["run"] == "c1", state?.text ?? "no answer"))
    say(titles[8], await accepted("stop", ["run": "c1"]))
    say(titles[9], await accepted("stop", ["run": "c1"]))
    let finish = await link.event("sessionFinish", run: "c1", in: .seconds(30))
    say(titles[10], check(finish?.data["userStopped"] == true, finish?.data.text ?? "no sessionFinish"))
    await untilIdle()
    say(
      titles[11],
      check(
        all().last?.name == "sessionFinish" && all().count { $0.name == "sessionFinish" } == 1,
        all().suffix(3).map(\.name).joined(separator: ", ")))
    say(titles[12], await accepted("stop", ["run": "c1"]))
    let after = await result("state")
    say(titles[13], check(after != nil && after?["run"]?.string == nil, after?.text ?? "no answer"))
    watched = Array(link.events.dropFirst(startedAt))
    let numbers = watched.map(\.sequence)
    say(
      titles[14],
      check(
        zip(numbers, numbers.dropFirst()).allSatisfy { $0 + 1 == $1 } && watched.allSatisfy { $0.boot == hello?.boot },
        "\(numbers)"))
    say(
      titles[15],
      check(
        zip(watched, watched.dropFirst()).allSatisfy { $0.deviceTime <= $1.deviceTime }, "\(watched.map(\.deviceTime))")
    )
  }

  /// The clean-up of a session may go on after its end.
  nonisolated(nonsending) func untilIdle() async {
    for _ in 0..<100 {
      guard let state = await result("state"), state["state"]?.string != "idle" else { return }
      try? await loop.sleep(for: .milliseconds(100))
    }
  }

  // MARK: Replay

  private nonisolated(nonsending) func replayed(since first: Int64) async -> (events: [StageLinkEvent], lost: Int64) {
    var since = first
    var all: [StageLinkEvent] = []
    var lost: Int64 = 0
    while let page = await result("events", ["since": .integer(since)]) {
      all += page["events"]?.array?.compactMap { StageLinkEvent(params: $0) } ?? []
      lost += page["lost"]?.integer ?? 0
      guard page["more"]?.bool == true, let next = page["next"]?.integer, next > since else { break }
      since = next
    }
    return (all, lost)
  }

  nonisolated(nonsending) func replay() async {
    let titles = ["events: the replay is what was pushed", "events: nothing after the last"]
    guard let first = watched.first, let last = watched.last else {
      for title in titles { say(title, .skipped(noSession ?? "no event was pushed")) }
      return
    }
    let (events, lost) = await replayed(since: first.sequence - 1)
    let isSame = Array(events.prefix(watched.count)) == watched
    say(titles[0], check(isSame && lost == 0, "\(lost) lost, \(events.map(\.name).joined(separator: ", "))"))
    let after = await replayed(since: last.sequence).events.filter { !$0.name.hasPrefix("x.") }
    say(titles[1], check(after.isEmpty, after.map(\.name).joined(separator: ", ")))
  }

  nonisolated(nonsending) func reconnecting() async {
    let titles = [
      "reconnect: the same boot", "reconnect: the run goes on", "reconnect: no event is lost",
      "reconnect: it can be stopped",
    ]
    if let why = settings.outlivesChannel ? noSession : "the device ends with its channel" {
      for title in titles { say(title, .skipped(why)) }
      return
    }
    _ = await ask("start", request("c3"))
    guard let link = await link() else { return say(titles[0], .notOK("no connection")) }
    _ = await link.event(ConformanceSteps.order[0], run: "c3", in: .seconds(30))
    let seen = link.events.filter { $0.run == "c3" }
    close()
    try? await loop.sleep(for: .milliseconds(300))
    guard let fresh = await open(), case .result(let greeting) = await greet() else {
      return say(titles[0], .notOK("no answer"))
    }
    say(titles[0], check(greeting["boot"]?.string == hello?.boot, "boot \(greeting["boot"]?.text ?? "missing")"))
    let (missed, lost) = await replayed(since: seen.last?.sequence ?? 0)
    let known = Set((seen + missed).map(\.name))
    var started = known.contains("sessionStartCompletion")
    if !started {
      started = await fresh.event("sessionStartCompletion", run: "c3", in: settings.patience)?.run == "c3"
    }
    say(titles[1], check(started, "no sessionStartCompletion"))
    var numbers = Set((seen + missed + fresh.events).map(\.sequence))
    if let first = seen.first { numbers = numbers.filter { $0 >= first.sequence } }
    let span = (numbers.max() ?? 0) - (numbers.min() ?? 0) + 1
    say(titles[2], check(lost == 0 && Int64(numbers.count) == span, "\(lost) lost, \(numbers.sorted())"))
    _ = await ask("stop", ["run": "c3"])
    let finish = await fresh.event("sessionFinish", run: "c3", in: .seconds(30))
    say(titles[3], check(finish?.data["userStopped"] == true, finish?.data.text ?? "no sessionFinish"))
    await untilIdle()
  }

  /// Sessions that end early: by a stop, and because their owner went silent.
  nonisolated(nonsending) func interruption() async {
    let titles = [
      "stop: in the middle of the start, userStopped is true", "owner silent: the run ends, userStopped is false",
      "owner silent: no run any more",
    ]
    if let why = noSession {
      for title in titles { say(title, .skipped(why)) }
      return
    }
    _ = await ask("start", request("c4"))
    let link = await link()
    _ = await link?.event(ConformanceSteps.order[0], run: "c4", in: .seconds(30))
    _ = await ask("stop", ["run": "c4"])
    let stopped = await link?.event("sessionFinish", run: "c4", in: .seconds(30))
    say(titles[0], check(stopped?.data["userStopped"] == true, stopped?.data.text ?? "no sessionFinish"))
    await untilIdle()
    _ = await ask("start", request("c5", owner: 2000))
    let silent = await self.link()?.event("sessionFinish", run: "c5", in: .seconds(15))
    say(titles[1], check(silent?.data["userStopped"] == false, silent?.data.text ?? "no sessionFinish"))
    await untilIdle()
    let state = await result("state")
    say(titles[2], check(state != nil && state?["run"]?.string == nil, state?.text ?? "no answer"))
  }

  // MARK: The end

  nonisolated(nonsending) func reset() async {
    let titles = [
      "reset: an unknown level is refused with -32004", "reset: accepted", "reset: another boot, no events",
    ]
    func skip(_ why: String) { for title in titles { say(title, .skipped(why)) } }
    guard settings.reset else { return skip("a reset was not asked for") }
    let answer = await ask("reset", ["level": "no such level"])
    if case .error(let error) = answer, [.methodNotFound, .unsupported].contains(error.known) {
      return skip("the device offers none")
    }
    if case .error(let error) = answer, error.known == .badParam {
      say(titles[0], .ok)
    } else {
      say(titles[0], .notOK(answer.text))
    }
    say(titles[1], await accepted("reset", ["level": "device"]))
    var boot = hello?.boot
    for _ in 0..<60 {
      // Over a line that outlives the boot the channel stays open.
      guard await link() != nil else { break }
      if case .result(let json) = await greet() { boot = json["boot"]?.string }
      if boot != hello?.boot { break }
      try? await loop.sleep(for: .milliseconds(500))
    }
    let state = await result("state")
    say(
      titles[2],
      check(boot != hello?.boot && state?["seq"] == 0, "boot \(boot ?? "none"), \(state?.text ?? "no state")"))
  }

  func ending() {
    let title = "nothing that the device sent was damaged"
    if opener.isGuarded, damagedCount > 0 {
      // A log may share the line.
      say(title, .skipped("a log may share this channel"))
    } else {
      say(title, check(damagedCount == 0, "\(damagedCount) records"))
    }
  }
}
