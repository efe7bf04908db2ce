import Glibc
import RigCapture
import RigDevice
import RigDrivers
import RigEmulator
import RigLinks
import RigLoop
import RigModel
import RigWire

enum NamespaceCommand: Command {
  static let name = "air"
  static let summary = "Run a command beside an emulated device, behind a hotspot that impairs real packets."
  static let usage = "[--down EFFECTS] [--up EFFECTS] [--both EFFECTS] [--play] [OPTION…] -- COMMAND [ARGUMENT…]"
  static let options = [
    Option.value("--down", "EFFECTS", "what happens to frames from the device; may be given again"),
    Option.value("--up", "EFFECTS", "what happens to frames to the device"),
    Option.value("--both", "EFFECTS", "what happens to frames both ways: \(AirWords.help)"),
    Option.value("--seed", "N", "seed of the decisions, default 1"),
    Option.value("--model", "MODEL", "which device: \(DeviceProfile.all.map(\.model).joined(separator: ", "))"),
    Option.value("--leasing", "MANNER", "how the device's DHCP server behaves: normal, silent, refusing"),
    Option.flag("--subnet-clash", "the station has another network with the device's addresses"),
    Option.flag("--play", "start a session first; the command finds its address in STREAMRIG_URL"),
    Option.value("--capture", "FILE", "the packets that the station sees, as pcapng"),
  ]

  static func run(_ arguments: Arguments) throws -> Int32 {
    guard let program = arguments.operands.first else {
      throw UsageError(description: "which command? Put it after --")
    }
    let effects = try AirDirection.allCases.flatMap { direction in
      try (arguments.all("--\(direction.rawValue)") + arguments.all("--both")).map {
        (direction, try AirWords($0))
      }
    }
    let seed = try arguments.seed("--seed") ?? 1
    guard let leasing = NamespaceLink.Leasing(rawValue: arguments.last("--leasing") ?? "normal") else {
      throw UsageError(description: "--leasing is normal, silent or refusing")
    }
    // Before any thread exists.
    try NetworkNamespace.enterPrivate()
    let loop = try EpollLoop()
    let signals = try Signals(loop, [SIGINT, SIGTERM, SIGHUP])
    let request = Request(
      model: arguments.last("--model") ?? DeviceProfile.flagship.model, seed: seed, effects: effects,
      leasing: leasing, clashes: arguments.has("--subnet-clash"), plays: arguments.has("--play"),
      capture: arguments.last("--capture"), program: program,
      arguments: Array(arguments.operands.dropFirst()))
    return try loop.run { try await AirBench(loop, request).run(signals) }
  }

  /// What was asked for on the command line.
  struct Request: Sendable {
    let model: String
    let seed: UInt64
    let effects: [(AirDirection, AirWords)]
    let leasing: NamespaceLink.Leasing
    let clashes: Bool
    let plays: Bool
    let capture: String?
    let program: String
    let arguments: [String]
  }
}

/// One emulated device behind one link, and a command on the station's side.
private actor AirBench {
  private let loop: EpollLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  private let request: NamespaceCommand.Request
  private let link: NamespaceLink

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  init(_ loop: EpollLoop, _ request: NamespaceCommand.Request) throws {
    self.loop = loop
    self.request = request
    link = try NamespaceLink(loop, seed: request.seed)
  }

  func run(_ signals: Signals) async throws -> Int32 {
    let device = try await link.spawn(
      program: HelperProgram.own,
      arguments: [
        "emulate", "--host", link.deviceHost, "--json", "--until-eof", "--model", request.model, "--seed",
        "\(request.seed)",
      ])
    let status: Int32
    do { status = try await beside(device, signals) } catch {
      _ = try? await device.end()
      await link.close()
      throw error
    }
    _ = try await device.end()
    await link.close()
    return status
  }

  private func beside(_ device: ChildProcess, _ signals: Signals) async throws -> Int32 {
    var text: [UInt8] = []
    while !text.contains(0x0A), case let bytes = try await device.io.read(), !bytes.isEmpty { text += bytes }
    guard let json = try? JSONParser.parse(String(decoding: text, as: UTF8.self)),
      let port = json["control"]?.integer.flatMap({ UInt16(exactly: $0) }),
      let control = SocketAddress(host: link.deviceHost, port: port)
    else { throw Failure(description: "the emulated device did not start") }
    let driver = StageLinkDriver(loop, link.opener(control)) {
      String(UInt64.random(in: 0...UInt64.max), radix: 36)
    }
    var environment = ["STREAMRIG_DEVICE": link.deviceHost, "STREAMRIG_INTERFACE": link.interface]
    if request.plays { environment["STREAMRIG_URL"] = try await startSession(driver) }
    await link.setLeasing(request.leasing)
    try await link.setSubnetClash(request.clashes)
    let joined = await link.probe(Hello.Probe(host: control.host, port: control.port))
    let heard = await link.leasing()
    guard joined.kind == .linkJoined else {
      throw Failure(
        description:
          "not joined: \(joined.detail); the device heard \(heard.discovers + heard.requests) requests for an "
          + "address and gave \(heard.leases)")
    }
    Output.diagnose("joined: \(joined.detail)")
    await link.onLost { fact in Output.diagnose("lost: \(fact.detail)") }
    let capture = try startCapture()
    // The session's beginning and the lease do not count.
    await link.relay.restart(seed: request.seed)
    await impair()
    let status = try await command(environment, signals)
    await report()
    if let capture { try await capture.finish() }
    if request.plays { await driver.close() }
    return status
  }

  /// - Returns: the address that the device gave.
  private func startSession(_ driver: StageLinkDriver) async throws -> String {
    let (addresses, continuation) = AsyncStream.makeStream(of: String.self)
    _ = try await driver.open { signal in
      if case .event(let event) = signal, let address = event.data["address"]?.string { continuation.yield(address) }
    }
    _ = try await driver.call(
      "start", ["run": "air", "flow": "rtsp-hotspot", "params": "default", "ownerTimeoutMs": 600_000],
      timeout: .seconds(5))
    let limit = loop.spawn { [loop] in
      try await loop.sleep(for: .seconds(60))
      continuation.finish()
    }
    defer { limit.cancel() }
    for await address in addresses { return address }
    throw Failure(description: "no address came")
  }

  private func impair() async {
    for direction in AirDirection.allCases {
      var standing = Impairment.none
      for (towards, words) in request.effects where towards == direction && words.from == nil {
        words.apply(to: &standing)
      }
      await link.relay.impair([direction], standing)
    }
    for (direction, words) in request.effects {
      guard let from = words.from else { continue }
      for effect in words.effects {
        await link.relay.plan(effect, [direction], at: loop.now + from, for: words.duration)
      }
    }
  }

  private func command(_ environment: [String: String], _ signals: Signals) async throws -> Int32 {
    let child = try ChildProcess(
      loop, program: "/usr/bin/env", arguments: [request.program] + request.arguments, environment: environment)
    let watcher = loop.spawn {
      let number = try await signals.next()
      child.signal(number)
    }
    defer { watcher.cancel() }
    while case let bytes = try await child.io.read(), !bytes.isEmpty {
      Output.raw(String(decoding: bytes, as: UTF8.self))
    }
    switch try await child.waitForExit() {
    case .code(let code): return code
    case .signal(let number): return 128 + number
    }
  }

  /// One JSON line of counters a direction, and one for each scheduled effect.
  private func report() async {
    for direction in AirDirection.allCases {
      Output.print(AirWords.line(await link.relay.counters(direction), "direction", direction.rawValue).text)
    }
    for window in await link.relay.effects() {
      let direction = window.entry.directions.first ?? .down
      var line = AirWords.line(direction == .down ? window.down : window.up, "effect", "\(window.entry.effect)")
      if case .object(let members) = line {
        line = .object(members + [.init("acted", .bool(window.hasActed))])
      }
      Output.print(line.text)
    }
    if let problem = await link.relay.problem { Output.complain("\(problem)") }
  }

  private func startCapture() throws -> StationCapture? {
    guard let path = request.capture else { return nil }
    return try StationCapture(interface: link.interface, host: link.deviceHost, path: path)
  }
}

/// What the station sees, written and not judged.
private struct StationCapture {
  private struct Sink: PacketSink {
    func see(frame: RawSpan, number: Int, time: Int64, link: LinkType) {}
    func mediaOnWire() -> (packets: Int64, lastTime: Int64?) { (0, nil) }
  }

  private let thread: LoopThread
  private let live: LiveCapture
  private let running: Task<Void, any Error>

  init(interface: String, host: String, path: String) throws {
    thread = try LoopThread()
    let request = CaptureRequest(interface: interface, host: host, path: path, title: "streamrig air")
    live = try LiveCapture(thread.loop, request, sink: Sink())
    let live = live
    running = thread.loop.spawn { try await live.run() }
  }

  func finish() async throws {
    let counters = await live.finish()
    _ = await running.result
    thread.stop()
    if counters.dropped > 0 { Output.complain("the capture dropped \(counters.dropped) packets") }
  }
}
