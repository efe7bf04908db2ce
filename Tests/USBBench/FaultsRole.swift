import RigLoop
import RigModel

/// `usb-bench faults [--deaf | --under-test] STAGE|FAULT|ARGUMENTS|BLAME…`: each cell is a case on a device of its own,
/// all of them at once; then each device has another case, without a fault. Prints a line for each.
enum FaultsRole {
  static func run(_ loop: EpollLoop, _ bus: MockBus, _ words: [String]) throws -> Int32 {
    let cells = words.filter { !$0.hasPrefix("--") }
    try loop.run {
      let bench = Bench(loop, bus)
      do {
        try await play(bench, cells, isDeaf: words.contains("--deaf"), isUnderTest: words.contains("--under-test"))
      } catch { bench.say("error: \(error)") }
      await bench.end()
    }
    return 0
  }

  private static nonisolated(nonsending) func play(
    _ bench: Bench, _ cells: [String], isDeaf: Bool, isUnderTest: Bool
  ) async throws {
    var cameras: [EmulatedCamera] = []
    for i in cells.indices {
      // The harness proves the join meanwhile. Where the session's start is to be met, the address must not run beside it.
      let camera = try EmulatedCamera(
        bench, port: "1-\(i + 1)", seed: UInt64(i + 1), isUnderTest: isUnderTest,
        addressTakes: cells[i].hasPrefix("start-session|") ? 2 : 400)
      camera.bus.isDeaf = isDeaf
      try await camera.plug()
      cameras.append(camera)
    }
    let driver = try bench.driver()
    let lines = try await cases(driver, zip(cameras, cells).map { "\($0.port)|\($1)" })
    for (camera, cell) in zip(cameras, cells) {
      bench.say("\(cell): \(lines["\(camera.port)"] ?? "no case")")
    }
    // The next case of each device runs.
    let next = try await cases(driver, cameras.map { "\($0.port)|none|-|-|success" })
    for (camera, cell) in zip(cameras, cells) { bench.say("then \(cell): \(next["\(camera.port)"] ?? "no case")") }
    for camera in cameras { camera.end() }
  }

  /// What became of each case, by port.
  private static nonisolated(nonsending) func cases(
    _ driver: DriverProcess, _ words: [String]
  ) async throws -> [String: String] {
    try await driver.send("cases " + words.joined(separator: " "))
    var lines: [String: String] = [:]
    while case let line = try await driver.line(), line != "done" {
      let words = line.split(separator: " ", maxSplits: 2).map(String.init)
      guard words.count == 3, words[0] == "case" else { throw BenchError(line) }
      lines[words[1]] = words[2]
    }
    return lines
  }
}
