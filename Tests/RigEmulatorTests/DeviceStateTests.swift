import RigDevice
import RigDrivers
import RigEmulator
import RigLoop
import RigModel
import RigTestSupport
import RigWire
import Testing

@Suite struct DeviceStateTests {
  private func onDevice<R: Sendable>(
    profile: DeviceProfile = .flagship,
    _ body: @escaping @Sendable (DeviceBench, any DeviceDriver, SignalLog) async throws -> R
  ) throws -> R {
    let loop = VirtualLoop()
    return try loop.run {
      let bench = DeviceBench(loop, profile: profile)
      defer { bench.end() }
      let log = SignalLog(loop)
      let driver = bench.driver()
      _ = try await driver.open { log.take($0) }
      return try await body(bench, driver, log)
    }
  }

  private static func start(_ run: String, owner: Int64 = 10_000) -> JSONValue {
    ["run": .string(run), "flow": "rtsp-hotspot", "params": "default", "ownerTimeoutMs": .integer(owner)]
  }

  private static func fault(_ verb: String, at stage: String, _ more: JSONValue = [:]) -> JSONValue {
    .object(
      [JSONValue.Member("fault", .string(verb)), JSONValue.Member("at", ["stage": .string(stage)])]
        + (more.members ?? []))
  }

  /// Starts a run, plays for a moment, stops it, and gives the events' names.
  private static func session(_ run: String, _ driver: any DeviceDriver, _ log: SignalLog) async throws -> [String] {
    let before = log.eventNames.count
    _ = try await driver.call("start", start(run), timeout: .seconds(2))
    if await log.event("sessionStartCompletion", within: .seconds(20)) != nil {
      _ = try await driver.call("stop", ["run": .string(run)], timeout: .seconds(2))
      _ = await log.event("sessionFinish")
    }
    for _ in 0..<50 {
      if try await driver.call("state", [:], timeout: .seconds(2))["state"]?.string == "idle" { break }
      _ = await log.first(within: .milliseconds(100)) { _ in false }
    }
    return Array(log.eventNames.dropFirst(before))
  }

  @Test func aFaultFiresOnceAndClaimsIt() throws {
    let (first, second, claims) = try onDevice { _, driver, log in
      _ = try await driver.call("inject", Self.fault("duplicate", at: "enter-live-mode"), timeout: .seconds(2))
      let first = try await Self.session("r1", driver, log)
      let second = try await Self.session("r2", driver, log)
      return (first, second, log.signals.compactMap(\.event).filter { $0.name == "x.fault.fired" }.map(\.data))
    }
    #expect(first.filter { $0 == "enterLiveStreamingModeCompleted" }.count == 2)
    #expect(second.filter { $0 == "enterLiveStreamingModeCompleted" }.count == 1)
    #expect(claims == [["id": "f1"]])
  }

  @Test func aFaultDiesWithItsRunItsTimeAndItsLink() throws {
    let names = try onDevice { bench, driver, log in
      // Asked for twice, but the run ends first.
      _ = try await driver.call(
        "inject", Self.fault("duplicate", at: "start-session", ["count": 2]), timeout: .seconds(2))
      _ = try await Self.session("r1", driver, log)
      _ = try await driver.call("inject", Self.fault("hang", at: "start-session", ["ttlMs": 500]), timeout: .seconds(2))
      try await bench.loop.sleep(for: .seconds(3))
      let second = try await Self.session("r2", driver, log)
      _ = try await driver.call("inject", Self.fault("hang", at: "start-session"), timeout: .seconds(2))
      bench.opener.cut()
      _ = await log.first { if case .controlBack = $0 { true } else { false } }
      return [second, try await Self.session("r3", driver, log)]
    }
    for session in names { #expect(session.filter { $0 == "sessionStartCompletion" }.count == 1, "\(session)") }
  }

  @Test func faultsAreBounded() throws {
    let codes = try onDevice { _, driver, _ in
      var codes: [Int64] = []
      for _ in 0..<70 {
        do {
          _ = try await driver.call("inject", Self.fault("hang", at: "start-session"), timeout: .seconds(2))
        } catch let error as StageLinkError { codes.append(error.code) }
      }
      return codes
    }
    #expect(codes == Array(repeating: -32009, count: 6))
  }

  @Test func notReadyIsSaidAndRefused() throws {
    let (ready, code) = try onDevice { _, driver, _ in
      _ = try await driver.call("inject", Self.fault("not-ready", at: "preflight"), timeout: .seconds(2))
      let ready = try await driver.call("state", [:], timeout: .seconds(2))["ready"]
      do {
        _ = try await driver.call("start", Self.start("r1"), timeout: .seconds(2))
        return (ready, Int64(0))
      } catch let error as StageLinkError { return (ready, error.code) }
    }
    #expect(ready == ["ok": false, "reasons": ["worn"]])
    #expect(code == -32006)
  }

  @Test func aModelWithoutRTSPRefusesToStart() throws {
    let code = try onDevice(profile: .basic) { _, driver, _ in
      do {
        _ = try await driver.call("start", Self.start("r1"), timeout: .seconds(2))
        return Int64(0)
      } catch let error as StageLinkError { return error.code }
    }
    #expect(code == -32003)
  }

  /// An error whose text would not fit a record reaches the harness all the same.
  @Test func aLongErrorTextIsCutNotLost() throws {
    let (message, damaged) = try onDevice { _, driver, log in
      let long = String(repeating: "é", count: 1950)
      _ = try await driver.call(
        "inject", Self.fault("refuse", at: "enter-live-mode", ["args": ["message": .string(long)]]),
        timeout: .seconds(2))
      _ = try await driver.call("start", Self.start("r1"), timeout: .seconds(2))
      let event = await log.event("enterLiveStreamingModeCompleted")
      _ = await log.event("sessionFinish")
      return (event?.error?.message ?? "", await driver.damagedCount())
    }
    #expect(message.hasPrefix("ééé") && message.utf8.count > 500)
    #expect(damaged == 0)
  }

  @Test func twoResetsAtOnceAreOneReboot() throws {
    let boots = try onDevice { bench, driver, log in
      async let one = try? driver.call("reset", ["level": "device"], timeout: .seconds(2))
      async let two = try? driver.call("reset", ["level": "device"], timeout: .seconds(2))
      _ = await (one, two)
      try await bench.loop.sleep(for: .seconds(20))
      return log.signals.compactMap { signal -> String? in
        switch signal {
        case .rebooted: "rebooted"
        case .controlBack: "back"
        case .controlLost: "lost"
        default: nil
        }
      }
    }
    #expect(boots == ["lost", "rebooted", "back"])
  }

  /// The owner goes silent at any moment of a run, also while it ends: one sessionFinish, and an idle device.
  @Test func aSilentOwnerEndsTheRunOnce() throws {
    for silentAfter in stride(from: 0, through: 6000, by: 250) {
      let (finishes, idle) = try onDevice { bench, driver, log in
        _ = try await driver.call("start", Self.start("r1", owner: 1000), timeout: .seconds(2))
        // Nothing keeps this run alive but these calls.
        for _ in 0..<(silentAfter / 250) {
          try await bench.loop.sleep(for: .milliseconds(250))
          _ = try await driver.call("state", [:], timeout: .seconds(2))
        }
        _ = try? await driver.call("stop", ["run": "r1"], timeout: .seconds(2))
        try await bench.loop.sleep(for: .seconds(8))
        let state = try await driver.call("state", [:], timeout: .seconds(2))["state"]?.string
        return (log.eventNames.filter { $0 == "sessionFinish" }.count, state)
      }
      #expect(finishes == 1, "silent after \(silentAfter) ms")
      #expect(idle == "idle", "silent after \(silentAfter) ms")
    }
  }

  @Test func eachSeedIsADeviceOfItsOwnAndRepeats() throws {
    func events(_ seed: UInt64) throws -> [String] {
      let loop = VirtualLoop()
      return try loop.run {
        let bench = DeviceBench(loop, seed: seed)
        defer { bench.end() }
        let log = SignalLog(loop)
        let driver = bench.driver()
        let hello = try await driver.open { log.take($0) }
        _ = try await Self.session("r1", driver, log)
        return [hello.boot]
          + log.signals.compactMap(\.event).map { "\($0.received) \($0.occurred ?? .zero) \($0.name)" }
      }
    }
    let first = try events(7)
    for _ in 0..<20 { #expect(try events(7) == first) }
    #expect(try events(8) != first)
  }
}
