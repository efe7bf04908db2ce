import Glibc
import RigLoop
import RigModel

/// `usb-bench serve [--emulator STREAMRIG] -- COMMAND…`: runs any program with an emulated device on its USB, and ends
/// as it ends.
///
/// The device is one of this process, quick and without media; with `--emulator` it is a `streamrig emulate` behind the
/// bulk pair, with a hotspot port and an RTSP server.
enum ServeRole {
  static func run(_ loop: EpollLoop, _ bus: MockBus, _ words: [String]) throws -> Int32 {
    let parts = words.split(separator: "--", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let program = parts[1].first else {
      Say.line("usage: usb-bench serve [--emulator STREAMRIG] -- COMMAND…")
      return 2
    }
    let options = Array(parts[0])
    guard options.isEmpty || options.count == 2 && options[0] == "--emulator" else {
      Say.line("unknown option \(options[0])")
      return 2
    }
    let arguments = Array(parts[1].dropFirst())
    return try loop.run {
      let bench = Bench(loop, bus)
      let camera = options.isEmpty ? try EmulatedCamera(bench) : nil
      try await camera?.plug()
      let emulator = options.isEmpty ? nil : try await serve(bench, options[1])
      let status = try await pass(try ChildProcess(loop, program: program, arguments: arguments))
      _ = try await emulator?.end()
      camera?.end()
      return status
    }
  }

  /// What the program prints goes on to standard output.
  private static nonisolated(nonsending) func pass(_ child: ChildProcess) async throws -> Int32 {
    while case let bytes = try await child.io.read(), !bytes.isEmpty {
      _ = bytes.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
    }
    switch try await child.waitForExit() {
    case .code(let code): return code
    case .signal(let number): return 128 + number
    }
  }

  /// Starts an emulated device, and puts its control port behind the bulk pair.
  private static nonisolated(nonsending) func serve(_ bench: Bench, _ program: String) async throws -> ChildProcess {
    let child = try ChildProcess(
      bench.loop, program: program, arguments: ["emulate", "--json", "--until-eof", "--serial", "SN1-1"],
      environment: ["LD_PRELOAD": ""])
    var text: [UInt8] = []
    while !text.contains(0x0A), case let bytes = try await child.io.read(), !bytes.isEmpty { text += bytes }
    guard let json = try? JSONParser.parse(String(decoding: text, as: UTF8.self)), let host = json["host"]?.string,
      let port = json["control"]?.integer.flatMap({ UInt16(exactly: $0) }),
      let control = SocketAddress(host: host, port: port)
    else { throw BenchError("\(program) emulate did not start") }
    try await plug(bench, control)
    return child
  }

  /// A device that boots drops its connection: it leaves the bus, and comes back when it answers again.
  private static nonisolated(nonsending) func plug(_ bench: Bench, _ control: SocketAddress) async throws {
    let agent = try await ByteStream.connect(bench.loop, to: control, timeout: .seconds(5))
    let firmware = try bench.bus.plug(bench.loop, MockBus.Spec(serial: "SN1-1"))
    bench.loop.spawn {
      while case let bytes = try await firmware.read(), !bytes.isEmpty { try await agent.write(bytes) }
      agent.close()
    }
    bench.loop.spawn {
      while let bytes = try? await agent.read(), !bytes.isEmpty { try await firmware.write(bytes) }
      firmware.close()
      bench.bus.unplug()
      for _ in 0..<100 {
        try await bench.loop.sleep(for: .milliseconds(100))
        if (try? await plug(bench, control)) != nil { return }
      }
    }
  }
}
