import RigDevice
import RigLoop
import RigModel
import RigWire

/// The steps of `DeviceConformance`: what they share, and the greeting.
// Unchecked: touched only on the loop's thread.
final class ConformanceSteps: @unchecked Sendable {
  typealias Outcome = ConformanceLine.Outcome

  let loop: Loop
  let opener: any ChannelOpener
  let settings: DeviceConformance.Settings
  private let nonces: @Sendable () -> String
  private let line: (ConformanceLine) -> Void
  private var number = 0
  private(set) var isConforming = true
  private var lastID: Int64 = 0
  private var current: ConformanceLink?
  /// Records that came damaged over earlier connections.
  private var damagedBefore = 0
  var hello: Hello?
  /// Events of the session that was watched from its start to its end.
  var watched: [StageLinkEvent] = []
  /// As the device lists them, `LAYER VERB`.
  var knownFaults: [String] = []

  init(
    _ loop: Loop, _ opener: any ChannelOpener, _ settings: DeviceConformance.Settings,
    nonces: @escaping @Sendable () -> String, _ line: @escaping (ConformanceLine) -> Void
  ) {
    self.loop = loop
    self.opener = opener
    self.settings = settings
    self.nonces = nonces
    self.line = line
  }

  func say(_ title: String, _ outcome: Outcome) {
    number += 1
    if case .notOK = outcome { isConforming = false }
    line(ConformanceLine(number: number, title: title, outcome: outcome))
  }

  func check(_ holds: Bool, _ otherwise: @autoclosure () -> String) -> Outcome {
    holds ? .ok : .notOK(otherwise())
  }

  // MARK: The connection

  /// The present connection; a lost one is opened again, so that one failure does not fail all that follow.
  nonisolated(nonsending) func link() async -> ConformanceLink? {
    if let current, !current.isEnded { return current }
    let isAgain = current != nil
    close()
    guard await open() != nil else { return nil }
    if isAgain { _ = await greet() }
    return current
  }

  /// Opens a fresh connection, trying for as long as a device takes to boot.
  nonisolated(nonsending) func open() async -> ConformanceLink? {
    close()
    let deadline = loop.now + .seconds(30)
    while true {
      do {
        let link = ConformanceLink(loop, try await opener.open(), guarded: opener.isGuarded)
        current = link
        return link
      } catch {
        guard hello != nil, loop.now < deadline else {
          openFailure = "\(opener.name): \(error)"
          return nil
        }
        try? await loop.sleep(for: .milliseconds(250))
      }
    }
  }
  /// Why the last channel did not open; `nil`: all did.
  private(set) var openFailure: String?

  func close() {
    damagedBefore += current?.damagedCount ?? 0
    current?.close()
    current = nil
  }

  var damagedCount: Int { damagedBefore + (current?.damagedCount ?? 0) }

  // MARK: Requests

  func nextID() -> Int64 {
    lastID += 1
    return lastID
  }

  func record(_ id: Int64, _ method: String, _ params: JSONValue) -> [UInt8] {
    StageLinkMessage.request(id: id, method: method, params: params).encoded(RecordFraming(guarded: true))
  }

  nonisolated(nonsending) func ask(_ method: String, _ params: JSONValue = [:]) async -> ConformanceLink.Answer {
    guard let link = await link() else { return .ended }
    let id = nextID()
    await link.send(record(id, method, params))
    return await link.answer(id, in: settings.answerLimit)
  }

  /// Whether a request was refused with this code.
  nonisolated(nonsending) func refused(
    _ method: String, _ params: JSONValue, _ code: StageLinkError.Code
  ) async -> Outcome {
    let answer = await ask(method, params)
    if case .error(let error) = answer, error.code == code.rawValue { return .ok }
    return .notOK(answer.text)
  }

  nonisolated(nonsending) func result(_ method: String, _ params: JSONValue = [:]) async -> JSONValue? {
    if case .result(let json) = await ask(method, params) { json } else { nil }
  }

  nonisolated(nonsending) func accepted(_ method: String, _ params: JSONValue) async -> Outcome {
    let answer = await ask(method, params)
    if case .result(let json) = answer, json["accepted"]?.bool != false { return .ok }
    return .notOK(answer.text)
  }

  /// Greets; stale replies with another nonce are passed over.
  nonisolated(nonsending) func greet(_ before: [UInt8] = []) async -> ConformanceLink.Answer {
    guard let link = current else { return .ended }
    let id = nextID()
    await link.send(before + record(id, "hello", ["v": [1], "nonce": .string(nonces())]))
    return await link.answer(id, in: settings.answerLimit)
  }

  // MARK: Greeting

  /// - Returns: whether the rest can be tried at all.
  nonisolated(nonsending) func greeting() async -> Bool {
    guard let link = await open() else {
      say("hello: the channel opens", .notOK(openFailure ?? ""))
      return false
    }
    say("hello: the channel opens", .ok)
    let nonce = nonces()
    let id = nextID()
    // What a harness that crashed left in the line: half a record, and text.
    await link.send(Array("\u{1E}{\"jsonrpc\":\"2.0\",\"id\":77,\"method\":\"st".utf8))
    await link.send(record(id, "hello", ["v": [1], "nonce": .string(nonce)]))
    let answer = await link.answer(id, in: settings.answerLimit)
    guard case .result(let json) = answer else {
      say("hello: answered, behind half a record that was left in the line", .notOK(answer.text))
      return false
    }
    say("hello: answered, behind half a record that was left in the line", .ok)
    do {
      let hello = try Hello(json: json)
      self.hello = hello
      say("hello: complete", check(!hello.model.isEmpty && !hello.boot.isEmpty, "device.model or boot is empty"))
    } catch {
      say("hello: complete", .notOK("\(error)"))
      return false
    }
    say("hello: gives the nonce back", check(json["nonce"]?.string == nonce, "\(json["nonce"]?.text ?? "none")"))
    say("hello: speaks version 1", check(json["v"] == 1, "v is \(json["v"]?.text ?? "missing")"))
    let limit = json["limits"]?["record"]?.integer ?? 4096
    say("hello: the record limit is 512 to 4096", check(512...4096 ~= limit, "\(limit)"))
    say("hello: a version that nobody speaks is refused with -32010", await refused("hello", other(2), .version))
    say("hello: without a nonce is refused with -32602", await refused("hello", ["v": [1]], .invalidParams))
    var again = "no answer"
    if case .result(let json) = await greet() { again = json["boot"]?.string ?? "" }
    say("hello: again, the same boot", check(again == hello?.boot, "boot \(again)"))
    return true
  }

  private func other(_ version: Int64) -> JSONValue { ["v": [.integer(version)], "nonce": .string(nonces())] }
}
