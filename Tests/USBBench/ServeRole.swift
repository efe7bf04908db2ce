import Glibc
import RigLoop

/// `usb-bench serve [--emulator STREAMRIG [MODEL]] -- COMMAND…`: runs any program with an emulated device on its USB, and ends
/// as it ends.
///
/// The device is one of this process, quick and without media; with `--emulator` it is a `streamrig emulate` behind the
/// bulk pair, with a hotspot port and an RTSP server, and `{host}` in the command stands for its address.
enum ServeRole {
  static func run(_ loop: EpollLoop, _ bus: MockBus, _ words: [String]) throws -> Int32 {
    let parts = words.split(separator: "--", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let program = parts[1].first else {
      Say.line("usage: usb-bench serve [--emulator STREAMRIG [MODEL]] -- COMMAND…")
      return 2
    }
    let options = Array(parts[0])
    guard options.isEmpty || (2...3).contains(options.count) && options[0] == "--emulator" else {
      Say.line("unknown option \(options[0])")
      return 2
    }
    // The bus is this process's own, and so are the leases of what is plugged into it.
    setenv("STREAMRIG_LEASES", bus.directory + "/leases", 1)
    return try loop.run {
      let bench = Bench(loop, bus)
      let camera = options.isEmpty ? try EmulatedCamera(bench) : nil
      try await camera?.plug()
      let emulator =
        options.isEmpty
        ? nil : EmulatorProcess(bench, program: options[1], model: options.count > 2 ? options[2] : "emu-flagship")
      try await emulator?.start()
      // The one that its agent cannot reset.
      if options.last == "emu-stubborn" { emulator?.bootsByReset() }
      let arguments = parts[1].dropFirst().map { $0.replacing("{host}", with: emulator?.host ?? "127.0.0.1") }
      let status = try await pass(try ChildProcess(loop, program: program, arguments: arguments))
      try await emulator?.end()
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
}
