import RigDevice
import RigLoop
import RigModel
import RigWire

/// Faults: what the device says of them, and whether one that was injected comes.
extension ConformanceSteps {
  /// The fault that is tried, as `faults` lists it.
  private static let tried = "flow refuse"
  private static let place = "enter-live-mode"
  private static let code: Int64 = 77

  nonisolated(nonsending) func faults() async {
    let titles = [
      "inject: without a fault is refused with -32602", "inject: an unknown fault is refused with -32005",
      "faults: all pages, each moves on", "inject: accepted, with an id", "clear: that id",
      "clear: an unknown id is refused with -32005", "clear: all",
    ]
    guard hello?.capabilities.contains("inject") == true else {
      for title in titles { say(title, .skipped(noFaults)) }
      return
    }
    say(titles[0], await refused("inject", ["at": ["stage": "finish"]], .invalidParams))
    say(titles[1], await refused("inject", ["fault": "melt", "at": ["stage": "finish"]], .unknownFault))
    say(titles[2], await faultPages())
    if let why = notTried {
      say(titles[3], .skipped(why))
      say(titles[4], .skipped(why))
    } else {
      let answer = await inject()
      say(titles[3], check(answer.id != nil, answer.text))
      let cleared = await ask("clear", ["id": answer.id ?? ""])
      if case .result = cleared { say(titles[4], .ok) } else { say(titles[4], .notOK(cleared.text)) }
    }
    say(titles[5], await refused("clear", ["id": "no such fault"], .unknownFault))
    let cleared = await ask("clear")
    if case .result = cleared { say(titles[6], .ok) } else { say(titles[6], .notOK(cleared.text)) }
  }

  private var noFaults: String { "the device takes no faults (caps)" }

  private var notTried: String? {
    knownFaults.contains(ConformanceSteps.tried) ? nil : "the device lists no fault \(ConformanceSteps.tried)"
  }

  private nonisolated(nonsending) func faultPages() async -> Outcome {
    var from: Int64 = 0
    while true {
      guard let page = await result("faults", ["from": .integer(from)]), let names = page["faults"]?.array else {
        return .notOK("no page from \(from)")
      }
      knownFaults += names.compactMap(\.string)
      guard page["more"]?.bool == true else { break }
      guard let next = page["next"]?.integer, next == Int64(knownFaults.count), !names.isEmpty else {
        return .notOK("next is \(page["next"]?.text ?? "missing") after \(knownFaults.count) names")
      }
      from = next
    }
    return check(!knownFaults.isEmpty, "it names none")
  }

  private nonisolated(nonsending) func inject() async -> (id: JSONValue?, text: String) {
    let answer = await ask(
      "inject",
      [
        "fault": "refuse", "at": ["stage": .string(ConformanceSteps.place)],
        "args": ["code": .integer(ConformanceSteps.code), "message": "asked for"],
      ])
    guard case .result(let json) = answer, let id = json["id"], id != .null else { return (nil, answer.text) }
    return (id, answer.text)
  }

  /// A device that takes a fault and does nothing is worse than one that takes none.
  nonisolated(nonsending) func injection() async {
    let titles = [
      "fault: what was injected comes, with its code", "fault: x.fault.fired gives its id",
      "fault: the next run is without it",
    ]
    let takesFaults = hello?.capabilities.contains("inject") == true
    if let why = noSession ?? (takesFaults ? notTried : noFaults) {
      for title in titles { say(title, .skipped(why)) }
      return
    }
    let answer = await inject()
    _ = await ask("start", request("c6"))
    let link = await link()
    let entered = await link?.event("enterLiveStreamingModeCompleted", run: "c6", in: settings.patience)
    say(
      titles[0],
      check(
        entered?.data["success"] == false && entered?.data["error"]?["code"]?.integer == ConformanceSteps.code,
        entered?.params.text ?? "no enterLiveStreamingModeCompleted"))
    _ = await link?.event("sessionFinish", run: "c6", in: .seconds(30))
    await untilIdle()
    let claim = link?.events.last { $0.name == "x.fault.fired" }
    say(
      titles[1],
      check(
        claim != nil && claim?.data["id"] == answer.id,
        claim.map { "\($0.data.text), injected: \(answer.text)" } ?? "no x.fault.fired"))
    _ = await ask("start", request("c7"))
    let again = await self.link()?.event("enterLiveStreamingModeCompleted", run: "c7", in: settings.patience)
    say(titles[2], check(again?.data["success"] == true, again?.params.text ?? "no enterLiveStreamingModeCompleted"))
    _ = await ask("stop", ["run": "c7"])
    _ = await self.link()?.event("sessionFinish", run: "c7", in: .seconds(30))
    await untilIdle()
  }
}
