import RigDevice
import RigDrivers
import RigLoop
import RigModel
import RigRunner
import RigTestSupport
import RigUSB
import RigWire

/// A stage-link driver over USB, as requests drive it.
// Unchecked: touched only on the loop's thread.
final class LinkSession: @unchecked Sendable {
  let driver: StageLinkDriver
  let log: SignalLog
  init(_ loop: Loop, _ opener: USBOpener) {
    driver = StageLinkDriver(loop, opener) { Nonce.next() }
    log = SignalLog(loop)
  }
  nonisolated(nonsending) func end() async { await driver.close() }
}

enum Nonce {
  static func next() -> String { String(UInt64.random(in: 0...UInt64.max), radix: 36) }
}

extension DriverSession {
  nonisolated(nonsending) func linkAnswer(_ words: [String]) async throws -> String {
    let rest = words.dropFirst().joined(separator: " ")
    switch words.first {
    case "open":
      await link?.end()
      let opener = USBOpener(loop, context, USBSelector(rest), limits: limits)
      self.opener = opener
      let session = LinkSession(loop, opener)
      link = session
      do {
        let hello = try await session.driver.open { [log = session.log] in log.take($0) }
        return "hello \(hello.serial)"
      } catch { return "\(error)" }
    case "call":
      guard let link, words.count > 1 else { return "no link" }
      let params = words.count > 2 ? try JSONParser.parse(words.dropFirst(2).joined(separator: " ")) : [:]
      do {
        return try await link.driver.call(words[1], params, timeout: .seconds(5)).text
      } catch { return "\(error)" }
    case "event":
      let event = await link?.log.event(rest)
      return event.map { "\($0.name) of \($0.run ?? "no run")" } ?? "no event"
    case "signal":
      let found = await link?.log.first { $0.word.hasPrefix(rest) }
      return found?.word ?? "none"
    case "events": return link?.log.eventNames.joined(separator: ", ") ?? ""
    case "facts":
      let kinds = link?.log.signals.compactMap { signal -> String? in
        guard case .fact(let fact) = signal else { return nil }
        return fact.kind.rawValue
      }
      return (kinds ?? []).joined(separator: ", ")
    case "damaged": return "\(await link?.driver.damagedCount() ?? -1)"
    case "close":
      await link?.end()
      link = nil
      return "ok"
    case "climb": return await climb(rest)
    case "runs": return try await runs(Int(rest) ?? 0)
    default: return "unknown request"
    }
  }

  /// The first steps of the ladder of a rig's device on USB.
  private nonisolated(nonsending) func climb(_ selector: String) async -> String {
    let opener = USBOpener(loop, context, USBSelector(selector), limits: limits)
    let driver: @Sendable () -> any DeviceDriver = { [loop] in StageLinkDriver(loop, opener) { Nonce.next() } }
    let steps = [RecoveryLadder.agentReset(driver), RecoveryLadder.Step("USB reset") { try await opener.reset() }]
    do {
      return try await RecoveryLadder(loop, steps, patience: .seconds(1), driver: driver).climb()
    } catch { return "\(error)" }
  }

  /// Whole sessions, one after another: what the process holds must not grow. Says now and then what that is.
  private nonisolated(nonsending) func runs(_ count: Int) async throws -> String {
    var before = ProcessSize.now
    for i in 0..<count {
      // What is kept for good after the first uses is no growth.
      if i == count / 5 { before = ProcessSize.now }
      if count >= 5, i > 0, i % (count / 5) == 0 { Say.line("\(i) sessions: \(ProcessSize.now)") }
      let opener = USBOpener(loop, context, USBSelector(""), limits: limits)
      let session = LinkSession(loop, opener)
      _ = try await session.driver.open { [log = session.log] in log.take($0) }
      let run = JSONValue.string("r\(i)")
      _ = try await session.driver.call(
        "start", ["run": run, "flow": "rtsp-hotspot", "params": "default"], timeout: .seconds(5))
      guard await session.log.event("sessionStartCompletion") != nil else { return "run \(i) did not start" }
      _ = try await session.driver.call("stop", ["run": run], timeout: .seconds(5))
      guard await session.log.event("sessionFinish") != nil else { return "run \(i) did not end" }
      await session.end()
      // Let go of by the next opening only: here it must be gone before what is held is counted.
      await opener.closed()
    }
    let after = ProcessSize.now
    Say.line("\(count) sessions: \(after)")
    return "descriptors \(after.descriptors - before.descriptors), threads \(after.threads - before.threads), "
      + "KiB \(after.kibibytes - before.kibibytes)"
  }
}
