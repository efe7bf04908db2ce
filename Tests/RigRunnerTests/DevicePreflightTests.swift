import Glibc
import RigDevice
import RigDrivers
import RigEmulator
import RigLoop
import RigModel
import RigRunner
import RigTestSupport
import RigWire
import Synchronization
import Testing

/// What a test changes about a healthy device.
private struct Twist: Sendable {
  var expectation = DevicePreflight.Expectation()
  var capabilities: [String] = []
  var readyReasons: [String] = []
  /// Bytes by which echoes of this length differ.
  var wrongEcho: (length: Int64, by: Int)?
  var noEcho: Int64?
  var clockError: Duration?
  var hotspotUp = false
  var recordLimit: Int?
  /// What the link says of a hotspot that is gone.
  var goneDetail: String?
  var selfTest: JSONValue?
}

/// A driver between the preflight and an emulated device.
private struct TwistedDriver: DeviceDriver {
  let driver: StageLinkDriver
  let twist: Twist

  func open(_ signal: @escaping @Sendable (DriverSignal) -> Void) async throws -> Hello {
    var hello = try await driver.open(signal)
    hello.capabilities += twist.capabilities
    if let limit = twist.recordLimit { hello.recordLimit = limit }
    if !twist.readyReasons.isEmpty {
      hello.ready = false
      hello.notReadyReasons = twist.readyReasons
    }
    if let data = twist.selfTest {
      signal(
        .event(
          DeviceEvent(
            received: .zero, sequence: 1, boot: hello.boot, run: nil, name: "x.self-test", source: "fw", data: data)))
    }
    return hello
  }
  func call(_ method: String, _ params: JSONValue, timeout: Duration) async throws -> JSONValue {
    if method == "echo", let length = params["len"]?.integer {
      if length == twist.noEcho { throw StageLinkError(.timeout, "no reply in 5 s") }
      if let wrong = twist.wrongEcho, wrong.length == length {
        return ["data": .string(String(repeating: "x", count: Int(length) + wrong.by))]
      }
    }
    if method == "state", !twist.readyReasons.isEmpty {
      return ["state": "idle", "seq": 0, "ready": ["ok": false, "reasons": .list(twist.readyReasons)]]
    }
    return try await driver.call(method, params, timeout: timeout)
  }
  func close() async { await driver.close() }
  func clockError() async -> Duration? {
    if let error = twist.clockError { return error }
    return await driver.clockError()
  }
  func damagedCount() async -> Int { 0 }
}

/// A link to which every hotspot is gone.
private struct BlindLink: Link {
  let detail: String
  var name: String { "blind" }
  func probe(_ target: Hello.Probe?) async -> Fact { Fact(.linkNotJoined, by: .link, at: .zero) }
  func probeGone(_ target: Hello.Probe?) async -> Fact { Fact(.hotspotGone, by: .link, at: .zero, detail: detail) }
  func probePort(host: String, port: UInt16) async -> Fact { Fact(.portClosed, by: .link, at: .zero) }
}

private struct FailingOpener: ChannelOpener {
  let error: SystemError
  var name: String { "failing" }
  var isGuarded: Bool { false }
  nonisolated(nonsending) func open() async throws -> any ByteChannel { throw error }
}

/// - Returns: the way to a healthy device, and what ends it.
private func emulatedDevice(_ loop: VirtualLoop, _ world: SimulatedWorld) -> (MemoryOpener, Task<Void, any Error>) {
  let device = EmulatedDevice(
    loop, profile: .flagship, serial: "SIM", seed: 1, hotspot: SimulatedHotspot(world), media: SimulatedMedia(world))
  let life = loop.spawn { try await device.live() }
  return (MemoryOpener { channel in device.assumeIsolated { $0.accept(channel) } }, life)
}

@Suite struct DevicePreflightTests {
  private func run(_ twist: Twist = Twist()) throws -> DevicePreflight.Report {
    let loop = VirtualLoop()
    return try loop.run {
      let world = SimulatedWorld(loop)
      if twist.hotspotUp { try await SimulatedHotspot(world).up() }
      let (opener, life) = emulatedDevice(loop, world)
      let link: any Link = twist.goneDetail.map { BlindLink(detail: $0) } ?? SimulatedLink(world)
      let report = await DevicePreflight(
        loop, link: link, expectation: twist.expectation,
        driver: { TwistedDriver(driver: StageLinkDriver(loop, opener) { "n" }, twist: twist) }
      ).run()
      life.cancel()
      return report
    }
  }

  @Test func aHealthyDevicePassesEachStep() throws {
    var twist = Twist()
    twist.expectation = .init(model: "emu-flagship", serial: "SIM", capabilities: ["rtsp"], flows: ["rtsp-hotspot"])
    let report = try run(twist)
    #expect(report.problem == nil)
    #expect(report.passed.count == 5)
    #expect(report.passed.first == "hello: emu-flagship, serial SIM, firmware 1.4.2")
    #expect(report.passed.contains("echo of 0, 511, 512, 513, 1024 bytes"))
    #expect(report.passed.last == "no hotspot")
  }

  @Test(arguments: [0, 511, 512, 513, 1_024] as [Int64])
  func aPayloadThatDoesNotComeBackIsNamed(_ length: Int64) throws {
    for by in [1, -1] where Int(length) + by >= 0 {
      var twist = Twist()
      twist.wrongEcho = (length, by)
      let problem = try #require(try run(twist).problem)
      #expect(problem.description == "echo of \(length) bytes: \(Int(length) + by) came back")
      #expect(problem.isCurable)
    }
    var mute = Twist()
    mute.noEcho = length
    #expect(try run(mute).problem?.description.hasPrefix("echo of \(length) bytes: ") == true)
  }

  /// No reset charges a battery.
  @Test(arguments: [("battery", "charge it"), ("worn", "put it on"), ("thermal", "let it cool down")])
  func aDeviceThatIsNotReadySaysWhatAPersonCanDo(_ reason: String, _ advice: String) throws {
    var twist = Twist()
    twist.readyReasons = [reason]
    let problem = try #require(try run(twist).problem)
    #expect(problem.description == "it is not ready: \(reason) (\(advice))")
    #expect(!problem.isCurable)
  }

  @Test func anotherReasonMayGoAwayByAReset() throws {
    var twist = Twist()
    twist.readyReasons = ["encoder-stuck"]
    #expect(try run(twist).problem == .init("it is not ready: encoder-stuck"))
  }

  /// Nothing is wrong with a device that this machine cannot reach for a reason of its own.
  @Test(
    arguments: [
      (EACCES, "open", false), (EPERM, "open", false), (EBUSY, "open", false), (EWOULDBLOCK, "open", false),
      (ENOENT, "posix_spawn", false), (ENOENT, "open", true), (ECONNREFUSED, "connect", true), (EIO, "read", true),
    ] as [(Int32, String, Bool)])
  func whatThisMachineKeepsFromItselfIsNotCuredByAReset(_ code: Int32, _ call: String, _ isCurable: Bool) throws {
    let loop = VirtualLoop()
    let report = try loop.run {
      await DevicePreflight(
        loop, link: SimulatedLink(SimulatedWorld(loop)), expectation: .init(),
        driver: { StageLinkDriver(loop, FailingOpener(error: SystemError(call, code: code, on: "x"))) { "n" } }
      ).run()
    }
    #expect(report.problem?.isCurable == isCurable)
  }

  @Test func anotherDeviceIsNotTaken() throws {
    for (expectation, text) in [
      (DevicePreflight.Expectation(serial: "SN9"), "serial number \"SN9\", the device says \"SIM\""),
      (DevicePreflight.Expectation(model: "CAM"), "model \"CAM\", the device says \"emu-flagship\""),
      (DevicePreflight.Expectation(capabilities: ["wings"]), "promises wings, which the device does not offer"),
      (DevicePreflight.Expectation(flows: ["hls-room"]), "promises hls-room, which the device does not offer"),
    ] {
      var twist = Twist()
      twist.expectation = expectation
      let problem = try #require(try run(twist).problem)
      #expect(problem.description.contains(text), "\(problem)")
      #expect(!problem.isCurable)
    }
  }

  @Test func aHotspotThatIsStillUpIsFound() throws {
    var twist = Twist()
    twist.hotspotUp = true
    #expect(try run(twist).problem?.description.contains("hotspot of an earlier session") == true)
  }

  /// Nothing that was not looked for is said to be absent.
  @Test func aHotspotThatNobodyLookedForIsNotSaidToBeGone() throws {
    for reason in ["the device named no hotspot", "no probe port is announced"] {
      var twist = Twist()
      twist.goneDetail = reason
      #expect(try run(twist).passed.last == "hotspot not looked for: \(reason)")
    }
  }

  /// A limit out of bounds counts as the framing takes it; some payload always comes back.
  @Test(arguments: [(-5, "0, 312"), (512, "0, 312"), (711, "0, 511"), (1 << 40, "0, 511, 512, 513, 1024")])
  func echoesFitIntoRecords(_ limit: Int, _ lengths: String) throws {
    var twist = Twist()
    twist.recordLimit = limit
    #expect(try run(twist).passed.contains("echo of \(lengths) bytes"))
  }

  @Test func aClockThatCannotBeToldIsNoUse() throws {
    var twist = Twist()
    twist.clockError = .milliseconds(80)
    #expect(try run(twist).problem?.description == "its clock is known to 80 ms only, 50 ms is needed")
  }

  @Test func aSelfTestThatIsOfferedMustPass() throws {
    var twist = Twist()
    twist.capabilities = ["self-test"]
    #expect(try run(twist).problem?.description.contains("told no result") == true)
    twist.selfTest = ["ok": true]
    #expect(try run(twist).passed.contains("self-test"))
    twist.selfTest = ["ok": false, "reasons": ["lens"]]
    #expect(try run(twist).problem?.description == "its self-test failed: lens")
  }
}

/// A device that still serves the run of a harness that is gone.
@Suite struct LeftRunTests {
  /// - Returns: what was passed, or why it will not do; what was said meanwhile; how long it took.
  private func waitOut(serving: Bool, stopped: Bool = false) throws -> (
    result: Result<String?, any Error>, said: [String], took: Duration
  ) {
    let loop = VirtualLoop()
    return try loop.run {
      let world = SimulatedWorld(loop)
      let (opener, life) = emulatedDevice(loop, world)
      let driver = { @Sendable in StageLinkDriver(loop, opener) { "n" } }
      let other = driver()
      if serving {
        _ = try await other.open { _ in }
        let start: JSONValue = [
          "run": "theirs", "flow": "rtsp-hotspot", "params": "default", "ownerTimeoutMs": 10_000,
        ]
        _ = try await other.call("start", start, timeout: .seconds(5))
        if stopped { _ = try await other.call("stop", ["run": "theirs"], timeout: .seconds(5)) }
        await other.close()
      }
      let began = loop.now
      var said: [String] = []
      var result: Result<String?, any Error>
      do { result = .success(try await LeftRun.waitOut(loop, driver, told: { said.append($0) })) } catch {
        result = .failure(error)
      }
      await other.close()
      life.cancel()
      return (result, said, loop.now - began)
    }
  }

  @Test func anIdleDeviceIsNotWaitedFor() throws {
    let (result, said, took) = try waitOut(serving: false)
    #expect(try result.get() == nil)
    #expect(said.isEmpty && took < .seconds(1))
  }

  @Test func theRunOfAHarnessThatIsGoneEndsByItself() throws {
    let (result, said, took) = try waitOut(serving: true)
    #expect(try result.get() == #"run "theirs" of another harness ended"#)
    #expect(said.count == 1 && took > LeftRun.ownerTimeout)
  }

  /// The one before has just stopped its probe: that is over in a moment, and no owner is to be waited for.
  @Test func aRunThatWasStoppedIsLookedAtAgainAtOnce() throws {
    let (result, said, took) = try waitOut(serving: true, stopped: true)
    #expect(try result.get() == #"run "theirs" of another harness ended"#)
    #expect(said == [#"the device is still ending run "theirs", which this run did not begin: waiting 13 s at most"#])
    #expect(took < .seconds(2))
  }

  @Test func aRunThatIsStoppedWithoutEndIsGivenUp() throws {
    let loop = VirtualLoop()
    let calls = CallLog()
    let problem = try loop.run {
      do {
        _ = try await LeftRun.waitOut(loop) { BusyDriver(calls: calls, state: "stopping") }
        return ""
      } catch { return "\(error)" }
    }
    #expect(problem.contains(#"busy with run "theirs""#) && problem.contains("does not come to the end of it"))
    #expect(loop.now < .zero + .seconds(14))
  }

  @Test func theRunOfAHarnessThatIsThereIsLeftAlone() throws {
    let loop = VirtualLoop()
    let calls = CallLog()
    let problem = try loop.run {
      do {
        _ = try await LeftRun.waitOut(loop) { BusyDriver(calls: calls) }
        return ""
      } catch { return "\(error)" }
    }
    #expect(problem.contains(#"busy with run "theirs""#) && problem.contains("another harness drives it"))
    // Its link is closed while it is waited for, and nothing but its state is asked of it.
    #expect(calls.all == ["open", "state", "close", "open", "state", "close"])
  }

  /// A reset would end the other harness's run: the rig must leave the device alone.
  @Test func thePreflightTakesNoDeviceFromAnotherHarness() throws {
    let loop = VirtualLoop()
    let calls = CallLog()
    let report = try loop.run {
      await DevicePreflight(
        loop, link: SimulatedLink(SimulatedWorld(loop)), expectation: .init(), driver: { BusyDriver(calls: calls) }
      ).run()
    }
    #expect(report.problem?.description.contains("another harness drives it") == true)
    #expect(report.problem?.isCurable == false)
    #expect(calls.all == ["open", "state", "close", "open", "state", "close"])
  }

  @Test func thePreflightWaitsToo() throws {
    let loop = VirtualLoop()
    let report = try loop.run {
      let world = SimulatedWorld(loop)
      let (opener, life) = emulatedDevice(loop, world)
      let driver = { @Sendable in StageLinkDriver(loop, opener) { "n" } }
      let other = driver()
      _ = try await other.open { _ in }
      _ = try await other.call(
        "start", ["run": "theirs", "flow": "rtsp-hotspot", "params": "default"], timeout: .seconds(5))
      await other.close()
      let report = await DevicePreflight(
        loop, link: SimulatedLink(world), expectation: .init(), driver: driver
      ).run()
      life.cancel()
      return report
    }
    #expect(report.problem == nil)
    #expect(report.passed.first == #"run "theirs" of another harness ended"#)
  }
}

private final class CallLog: Sendable {
  private let calls = Mutex<[String]>([])
  var all: [String] { calls.withLock { $0 } }
  func add(_ call: String) { calls.withLock { $0.append(call) } }
}

/// A device whose run never ends.
private struct BusyDriver: DeviceDriver {
  let calls: CallLog
  var state = "streaming"
  func open(_ signal: @escaping @Sendable (DriverSignal) -> Void) async throws -> Hello {
    calls.add("open")
    return try Hello(json: ["v": 1, "nonce": "n", "boot": "b", "device": ["model": "cam"]])
  }
  func call(_ method: String, _ params: JSONValue, timeout: Duration) async throws -> JSONValue {
    calls.add(method)
    return ["state": .string(state), "run": "theirs", "seq": 0]
  }
  func close() async { calls.add("close") }
  func clockError() async -> Duration? { nil }
  func damagedCount() async -> Int { 0 }
}
