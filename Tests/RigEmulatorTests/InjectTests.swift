import RigDevice
import RigDrivers
import RigEmulator
import RigLoop
import RigModel
import RigTestSupport
import RigWire
import Testing

/// `inject{at: {event|stage|ms}, count, ttlMs}`, `clear` and `faults{from}`, in virtual time.
@Suite struct InjectTests {
  private struct Bench: Sendable {
    let device: DeviceBench
    let driver: any DeviceDriver
    let log: SignalLog
    var loop: Loop { device.loop }

    @discardableResult
    func inject(_ fault: String, at place: JSONValue, _ more: JSONValue = [:]) async throws -> String {
      let reply = try await call(
        "inject", .object([.init("fault", .string(fault)), .init("at", place)] + (more.members ?? [])))
      return reply["id"]?.string ?? ""
    }

    @discardableResult
    func call(_ method: String, _ params: JSONValue = [:]) async throws -> JSONValue {
      try await driver.call(method, params, timeout: .seconds(2))
    }

    func start(_ run: String = "r1") async throws {
      try await call("start", ["run": .string(run), "flow": "rtsp-hotspot", "params": "default"])
    }

    /// Lets time pass, with pings, so that the device keeps its owner.
    func wait(_ seconds: Int) async throws {
      for _ in 0..<seconds {
        try await loop.sleep(for: .seconds(1))
        _ = try? await call("ping", ["h0": 0])
      }
    }

    func count(_ name: String) -> Int { log.eventNames.filter { $0 == name }.count }
    var claims: [String] {
      log.signals.compactMap(\.event).filter { $0.name == "x.fault.fired" }.compactMap { $0.data["id"]?.string }
    }
  }

  private func onDevice<R: Sendable>(_ body: @escaping @Sendable (Bench) async throws -> R) throws -> R {
    let loop = VirtualLoop()
    return try loop.run {
      let device = DeviceBench(loop)
      defer { device.end() }
      let log = SignalLog(loop)
      let driver = device.driver()
      _ = try await driver.open { log.take($0) }
      return try await body(Bench(device: device, driver: driver, log: log))
    }
  }

  private func code(_ body: () async throws -> Void) async -> StageLinkError.Code? {
    do {
      try await body()
    } catch let error as StageLinkError {
      return StageLinkError.Code(rawValue: error.code)
    } catch {
      return nil
    }
    return nil
  }

  @Test func anEventNamesTheStageThatItCompletes() throws {
    let (completed, claims) = try onDevice { bench in
      try await bench.inject("duplicate", at: ["event": "hotspotConfigureCompletion"])
      // It completes wait-for-hotspot and begins connect-hotspot: `refuse` makes sense only at the second.
      try await bench.inject("refuse", at: ["event": "connectDeviceHotspotStarting"])
      try await bench.start()
      try await bench.wait(6)
      return (bench.count("hotspotConfigureCompletion"), bench.claims)
    }
    #expect(completed == 2)
    #expect(claims == ["f1", "f2"])
  }

  @Test func placesThatMakeNoSenseAreRefused() throws {
    let codes = try onDevice { bench in
      var codes: [StageLinkError.Code?] = []
      let places: [(String, JSONValue)] = [
        ("duplicate", ["event": "noSuchEvent"]), ("duplicate", ["event": "sessionFinish"]), ("duplicate", [:]),
        ("duplicate", ["ms": 100]), ("flow.duplicate", ["ms": -1]), ("melt", ["ms": 100]),
      ]
      for (fault, place) in places {
        codes.append(await self.code { try await bench.inject(fault, at: place) })
      }
      return codes
    }
    // `duplicate` alone is a fault of the flow and of RTP.
    #expect(codes == [.badParam, .unknownFault, .badParam, .badParam, .badParam, .unknownFault])
  }

  @Test func aTimeCountsFromTheBeginningOfTheRun() throws {
    let (before, after, finished) = try onDevice { bench in
      try await bench.inject("finish.interrupt", at: ["ms": 8000])
      // The run begins later than the injection.
      try await bench.wait(3)
      try await bench.start()
      try await bench.wait(7)
      let before = bench.count("sessionFinish")
      try await bench.wait(2)
      return (before, bench.count("sessionFinish"), bench.log.signals.compactMap(\.event).last?.data)
    }
    #expect(before == 0 && after == 1)
    _ = finished
  }

  @Test func atATimeAStageFaultWaitsForAStageWhereItMakesSense() throws {
    let names = try onDevice { bench in
      // At 1 ms no stage completes; the first that completes afterwards is the one.
      try await bench.inject("flow.duplicate", at: ["ms": 1])
      try await bench.start()
      try await bench.wait(8)
      return bench.log.eventNames
    }
    #expect(names.filter { $0 == "hotspotConfigureCompletion" }.count == 2)
    #expect(names.filter { $0 == "enterLiveStreamingModeCompleted" }.count == 1)
  }

  @Test func aCountIsUsedUp() throws {
    let (stages, claims) = try onDevice { bench in
      try await bench.inject("flow.duplicate", at: ["ms": 0], ["count": 2])
      try await bench.start()
      try await bench.wait(8)
      let names = bench.log.eventNames
      let stages = [
        "hotspotConfigureCompletion", "enterLiveStreamingModeCompleted", "deviceHotspotConnectCompletion",
        "sessionStartCompletion",
      ].map { name in names.filter { $0 == name }.count }
      return (stages, bench.claims)
    }
    #expect(stages == [2, 2, 1, 1])
    #expect(claims == ["f1", "f1"])
  }

  @Test func aFaultDiesAtItsTimeInTheMiddleOfARun() throws {
    let counts = try onDevice { bench in
      // Far shorter than any stage takes, far longer, and cleared.
      try await bench.inject("duplicate", at: ["stage": "enter-live-mode"], ["ttlMs": 20])
      try await bench.inject("duplicate", at: ["stage": "connect-hotspot"], ["ttlMs": 60_000])
      let id = try await bench.inject("duplicate", at: ["stage": "start-session"])
      try await bench.call("clear", ["id": .string(id)])
      try await bench.start()
      try await bench.wait(8)
      return [
        "enterLiveStreamingModeCompleted", "deviceHotspotConnectCompletion", "sessionStartCompletion",
      ].map { bench.count($0) }
    }
    #expect(counts == [1, 2, 1])
  }

  @Test func aLostLinkEndsTheFaultsOfARunInProgress() throws {
    let count = try onDevice { bench in
      try await bench.inject("hang", at: ["stage": "start-session"])
      try await bench.start()
      bench.device.opener.cut()
      _ = await bench.log.first { if case .controlBack = $0 { true } else { false } }
      try await bench.wait(8)
      return bench.count("sessionStartCompletion")
    }
    #expect(count == 1)
  }

  @Test func theListComesInPagesThatFitARecord() throws {
    let (names, most) = try onDevice { bench in
      var names: [String] = []
      var from: Int64 = 0
      var most = 0
      while true {
        let page = try await bench.call("faults", ["from": .integer(from)])
        most = max(most, page.text.utf8.count)
        names += page["faults"]?.array?.compactMap(\.string) ?? []
        guard page["more"]?.bool == true, let next = page["next"]?.integer, next > from else { break }
        from = next
      }
      return (names, most)
    }
    #expect(names.contains("rtp drop") && names.contains("flow drop") && names.contains("control-link damaged-record"))
    #expect(Set(names).count == names.count)
    #expect(most <= 4096)
  }
}
