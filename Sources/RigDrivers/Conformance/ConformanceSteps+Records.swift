import RigDevice
import RigLoop
import RigModel
import RigWire

/// Requests that need no session, and records that are wrong.
extension ConformanceSteps {
  private var limit: Int { min(hello?.recordLimit ?? RecordFraming.defaultLimit, RecordFraming.defaultLimit) }

  nonisolated(nonsending) func requests() async {
    // Around the sizes of USB packets.
    for length in [0, 1, 511, 512, 513, 1024] {
      let title = "echo: \(length) bytes"
      guard length + 200 <= limit else {
        say(title, .skipped("the device's records hold \(limit) bytes"))
        continue
      }
      say(title, await echoed(length))
    }
    say("echo: more than a record holds is refused with -32009", await refused("echo", ["len": 5000], .tooLarge))
    say("echo: a negative length is refused with -32602", await refused("echo", ["len": -1], .invalidParams))
    say("ping: the clock goes forward", await clockGoesForward())
    say("an unknown method is refused with -32601", await refused("makeCoffee", [:], .methodNotFound))
    let extra = await result("echo", ["len": 3, "x.note": [1, 2], "later": nil])
    say("unknown members are passed over", check(extra?["data"]?.string?.utf8.count == 3, "not answered"))
    say("state: a word, and the last sequence number", await stateIsWhole())
    say("events: a negative number is refused with -32602", await refused("events", ["since": -1], .invalidParams))
    say("log: lines, or -32601", await logIsPaged())
    say("two requests in one piece are both answered", await twoAtOnce())
    say("a request in pieces of one byte is answered", await oneByOne())
  }

  private nonisolated(nonsending) func echoed(_ length: Int) async -> Outcome {
    let answer = await ask("echo", ["len": .integer(Int64(length))])
    if case .result(let json) = answer, json["data"]?.string?.utf8.count == length { return .ok }
    return .notOK(answer.text)
  }

  private nonisolated(nonsending) func clockGoesForward() async -> Outcome {
    var last: Int64 = .min
    for _ in 0..<8 {
      let reply = await result("ping", ["h0": .integer(loop.now.nanoseconds / 1000)])
      guard let d1 = reply?["d1"]?.integer, let d2 = reply?["d2"]?.integer else { return .notOK("no d1 and d2") }
      guard last <= d1, d1 <= d2 else { return .notOK("\(last), then d1 \(d1), d2 \(d2)") }
      last = d2
    }
    return .ok
  }

  private nonisolated(nonsending) func stateIsWhole() async -> Outcome {
    let state = await result("state")
    return check(
      state?["state"]?.string != nil && (state?["seq"]?.integer ?? -1) >= 0, state.map { "\($0.text)" } ?? "no answer")
  }

  private nonisolated(nonsending) func logIsPaged() async -> Outcome {
    let answer = await ask("log", ["since": 0, "max": 3])
    switch answer {
    case .result(let page) where (page["lines"]?.array?.count ?? 4) <= 3 && page["next"]?.integer != nil: return .ok
    case .error(let error) where error.known == .methodNotFound: return .ok
    default: return .notOK(answer.text)
    }
  }

  private nonisolated(nonsending) func twoAtOnce() async -> Outcome {
    guard let link = await link() else { return .notOK("no connection") }
    let (a, b) = (nextID(), nextID())
    await link.send(record(a, "echo", ["len": 1]) + record(b, "echo", ["len": 2]))
    return await answered(a, 1, and: b, 2)
  }

  private nonisolated(nonsending) func oneByOne() async -> Outcome {
    guard let link = await link() else { return .notOK("no connection") }
    let id = nextID()
    for byte in record(id, "echo", ["len": 4]) { await link.send([byte]) }
    return await answered(id, 4, and: id, 4)
  }

  private nonisolated(nonsending) func answered(_ a: Int64, _ first: Int, and b: Int64, _ second: Int) async -> Outcome
  {
    for (id, length) in [(a, first), (b, second)] {
      guard let answer = await link()?.answer(id, in: settings.answerLimit) else { return .notOK("no connection") }
      guard case .result(let json) = answer, json["data"]?.string?.utf8.count == length else {
        return .notOK(answer.text)
      }
    }
    return .ok
  }

  // MARK: Wrong records

  nonisolated(nonsending) func records() async {
    let id = nextID()
    var damaged = record(id, "echo", ["len": 9])
    damaged[damaged.count - 3] ^= 1
    say("a record with a wrong checksum is passed over", await passedOver(damaged, id))
    let flipped = nextID()
    var bytes = record(flipped, "echo", ["len": 9])
    bytes[bytes.count / 2] ^= 0x04
    say("a record with a flipped bit is passed over", await passedOver(bytes, flipped))
    let cut = nextID()
    say("a record that the next one cuts short is passed over", await passedOver(half(cut), cut))
    let plain = nextID()
    let bare = StageLinkMessage.request(id: plain, method: "echo", params: ["len": 5]).json
    let title = (
      "a record without RS and checksum is answered", "a record without its checksum is passed over"
    )
    if opener.isGuarded {
      say(title.0, .skipped("this channel requires both"))
      say(title.1, await passedOver([0x1E] + Array(bare.text.utf8) + [0x0A], plain))
    } else {
      await link()?.send(Array(bare.text.utf8) + [0x0A])
      say(title.0, await answered(plain, 5, and: plain, 5))
      say(title.1, .skipped("this channel requires none"))
    }
    let garbage = nextID()
    say("what is no JSON is passed over", await passedOver(framed("{\"id\":\(garbage),\"method\":}"), garbage))
    say("text between records is passed over", await passedOver(Array("boot: line 1\r\nline 2\n\n".utf8), nextID()))
    say("a record of as many bytes as the limit is answered", await padded(to: limit, isRead: true))
    say("a record of one byte more is passed over", await padded(to: limit + 1, isRead: false))
    say("a record of 20000 bytes is passed over", await padded(to: 20_000, isRead: false))
    say("nesting of 8 is read", await nested(8, isRead: true))
    say("nesting of 9 is passed over", await nested(9, isRead: false))
    let large = nextID()
    say(
      "an integer beyond 2^53 is passed over, or refused",
      await passedOver(
        framed("{\"jsonrpc\":\"2.0\",\"id\":\(large),\"method\":\"echo\",\"params\":{\"len\":9007199254740993}}"), large
      ))
  }

  private func half(_ id: Int64) -> [UInt8] { Array(record(id, "echo", ["len": 9]).dropLast(20)) }

  private func framed(_ json: String) -> [UInt8] { RecordFraming(guarded: true).encode(Array(json.utf8)) }

  /// Whether no result comes for these bytes, and what follows them is answered.
  private nonisolated(nonsending) func passedOver(_ bytes: [UInt8], _ id: Int64) async -> Outcome {
    guard let link = await link() else { return .notOK("no connection") }
    let next = nextID()
    await link.send(bytes + record(next, "echo", ["len": 7]))
    let answer = await link.answer(next, in: settings.answerLimit)
    guard case .result = answer else { return .notOK("what followed it: \(answer.text)") }
    if case .result? = link.replies[id] { return .notOK("it was answered with a result") }
    return .ok
  }

  private nonisolated(nonsending) func padded(to size: Int, isRead: Bool) async -> Outcome {
    let id = nextID()
    let start = "{\"jsonrpc\":\"2.0\",\"id\":\(id),\"method\":\"echo\",\"params\":{\"len\":6,\"pad\":\""
    let pad = String(repeating: "p", count: max(0, size - start.utf8.count - 3))
    let bytes = framed(start + pad + "\"}}")
    guard isRead else { return await passedOver(bytes, id) }
    await link()?.send(bytes)
    return await answered(id, 6, and: id, 6)
  }

  /// Objects and arrays inside each other, the record itself among them.
  private nonisolated(nonsending) func nested(_ depth: Int, isRead: Bool) async -> Outcome {
    let id = nextID()
    let deep = String(repeating: "[", count: depth - 2) + String(repeating: "]", count: depth - 2)
    let bytes = framed(
      "{\"jsonrpc\":\"2.0\",\"id\":\(id),\"method\":\"echo\",\"params\":{\"len\":6,\"deep\":\(deep)}}")
    guard isRead else { return await passedOver(bytes, id) }
    await link()?.send(bytes)
    return await answered(id, 6, and: id, 6)
  }

  // MARK: Heartbeats

  nonisolated(nonsending) func heartbeats() async {
    guard let link = await link() else { return say("heartbeats: two in 4 s", .notOK("no connection")) }
    let (first, before) = (await timedPing(), link.heartbeats.count)
    let came = await link.wait(.seconds(4)) { link.heartbeats.count >= before + 2 }
    say("heartbeats: two in 4 s", check(came, "\(link.heartbeats.count - before) came"))
    let last = link.heartbeats.last?.params
    say(
      "heartbeats: t, seq, state and run",
      check(
        last?["t"]?.integer != nil && last?["seq"]?.integer != nil && last?["state"]?.string != nil
          && last?["run"] != nil, last?.text ?? "none came"))
    let state = await result("state")
    say(
      "heartbeats: seq is the last event's",
      check(
        last?["seq"] == state?["seq"],
        "\(last?["seq"]?.text ?? "none"), and state says \(state?["seq"]?.text ?? "none")"))
    guard let first, let second = await timedPing() else {
      return say("ping: counts microseconds", .notOK("no d1"))
    }
    let host = (second.host - first.host).nanoseconds / 1000
    let device = second.device - first.device
    // What the way may take, and what no clock is off.
    let slack = (first.roundTrip + second.roundTrip).nanoseconds / 1000 + host / 100 + 20_000
    say(
      "ping: counts microseconds",
      check((host - slack...host + slack).contains(device), "\(device) in \(host) µs of the host's"))
  }

  private struct TimedPing {
    var host: HostTime
    var device: Int64
    var roundTrip: Duration
  }

  private nonisolated(nonsending) func timedPing() async -> TimedPing? {
    let sent = loop.now
    guard let device = await result("ping", ["h0": .integer(sent.nanoseconds / 1000)])?["d1"]?.integer else {
      return nil
    }
    return TimedPing(host: sent, device: device, roundTrip: loop.now - sent)
  }
}
