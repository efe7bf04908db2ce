import CMockUSB
import Glibc
import RigEmulator
import RigLoop
import RigModel

/// A `streamrig emulate` in a process of its own, with its control port behind the bulk pair of a USB device.
// Unchecked: touched only on the loop's thread.
final class EmulatorProcess: PluggedDevice, @unchecked Sendable {
  let port: String
  private(set) var host = ""
  private let bench: Bench
  private let bus: MockPlug
  private let program: String
  private let model: String
  private var child: ChildProcess?
  private var control: SocketAddress?
  private var agent: ByteStream?
  /// Counts how often it was plugged in or out: what an older bulk pair does is of no interest.
  private var generation = 0
  private var boots = 0
  private var life: Task<Void, any Error>?

  init(_ bench: Bench, program: String, model: String = "emu-flagship", port: String = "1-1") {
    self.bench = bench
    self.program = program
    self.model = model
    self.port = port
    bus = MockPlug(bench)
    bus.device = self
  }

  /// Starts it, and plugs it in.
  nonisolated(nonsending) func start() async throws {
    boots += 1
    // Another seed is another boot id.
    var arguments = [
      "emulate", "--json", "--until-eof", "--plug", "--serial", "SN\(port)", "--model", model, "--seed", "\(boots)",
    ]
    if !host.isEmpty { arguments += ["--host", host] }
    let child = try ChildProcess(
      bench.loop, program: program, arguments: arguments, environment: ["LD_PRELOAD": ""])
    self.child = child
    var text: [UInt8] = []
    while !text.contains(0x0A), case let bytes = try await child.io.read(), !bytes.isEmpty { text += bytes }
    guard let json = try? JSONParser.parse(String(decoding: text, as: UTF8.self)), let host = json["host"]?.string,
      let number = json["control"]?.integer.flatMap({ UInt16(exactly: $0) }),
      let control = SocketAddress(host: host, port: number)
    else { throw BenchError("\(program) emulate did not start") }
    self.host = host
    self.control = control
    bench.loop.spawn { try await self.listen(to: child) }
    try await plugBack()
  }

  func end() async throws {
    life?.cancel()
    _ = try await child?.end()
  }

  /// From now on a reset of its port boots it: it leaves the bus, and comes back under another boot id.
  func bootsByReset() {
    bench.bus.set(MOCK_USB_RESET, 1, at: port)
    life = bench.loop.spawn {
      while true {
        try await self.bench.loop.sleep(for: .milliseconds(20))
        guard self.bench.bus.facts(self.port).resets > 0 else { continue }
        self.unplug()
        _ = try await self.child?.end()
        try await self.start()
        self.bench.bus.set(MOCK_USB_RESET, 1, at: self.port)
      }
    }
  }

  /// What it asks of the bus, a line each.
  private nonisolated(nonsending) func listen(to child: ChildProcess) async throws {
    var text: [UInt8] = []
    while case let bytes = try await child.io.read(), !bytes.isEmpty {
      text += bytes
      while let end = text.firstIndex(of: 0x0A) {
        let line = String(decoding: text[..<end], as: UTF8.self)
        text.removeSubrange(...end)
        guard let json = try? JSONParser.parse(line) else { continue }
        if json["plug"]?.string == "restore" { bus.restore() }
        if let fault = PlugFault(json: json) { await bus.perform(fault) }
      }
    }
  }

  nonisolated(nonsending) func plugBack() async throws {
    guard let control else { throw BenchError("the emulator is not there") }
    generation += 1
    let mine = generation
    let agent = try await ByteStream.connect(bench.loop, to: control, timeout: .seconds(5))
    guard mine == generation else { return agent.close() }
    let firmware = try bench.bus.plug(bench.loop, MockBus.Spec(port: port, serial: "SN\(port)"))
    self.agent = agent
    bench.loop.spawn {
      while case let bytes = try await firmware.read(), !bytes.isEmpty { try await agent.write(bytes) }
      agent.close()
    }
    bench.loop.spawn {
      while let bytes = try? await agent.read(), !bytes.isEmpty {
        self.bus.hear(bytes)
        try await firmware.write(bytes)
      }
      firmware.close()
      guard self.generation == mine else { return }
      try await self.comeBack()
    }
  }

  func unplug() {
    generation += 1
    bench.bus.unplug(port)
    agent?.close()
    agent = nil
  }

  /// A device that boots drops its connection: it leaves the bus, and comes back when it answers again.
  private nonisolated(nonsending) func comeBack() async throws {
    unplug()
    let mine = generation
    for _ in 0..<100 {
      try await bench.loop.sleep(for: .milliseconds(100))
      guard generation == mine else { return }
      if (try? await plugBack()) != nil { return }
      generation = mine
    }
  }
}
