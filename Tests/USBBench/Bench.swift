import Glibc
import RigLoop
import RigModel

/// What a scenario works with.
// Unchecked: touched only on the loop's thread.
final class Bench: @unchecked Sendable {
  let loop: EpollLoop
  let bus: MockBus
  private var drivers: [DriverProcess] = []

  init(_ loop: EpollLoop, _ bus: MockBus) {
    self.loop = loop
    self.bus = bus
  }

  func say(_ line: String) { Say.line(line) }

  /// A driver in a process of its own, which sees this bus.
  /// - Parameter isOrdinary: of a user who is not root.
  func driver(isOrdinary: Bool = false) throws -> DriverProcess {
    let made = try DriverProcess(loop, isOrdinary ? ["driver", "--ordinary"] : ["driver"])
    drivers.append(made)
    return made
  }

  /// Looks again and again until `isMet`.
  nonisolated(nonsending) func until(
    _ what: String, within limit: Duration = .seconds(20), _ isMet: () -> Bool
  ) async throws {
    let deadline = loop.now + limit
    while !isMet() {
      guard loop.now < deadline else { throw BenchError("waited \(limit) in vain for: \(what)") }
      try await loop.sleep(for: .milliseconds(5))
    }
  }

  nonisolated(nonsending) func end() async {
    for driver in drivers { await driver.end() }
  }
}

struct BenchError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// The driver's process: a request a line, a reply a line.
// Unchecked: touched only on the loop's thread.
final class DriverProcess: @unchecked Sendable {
  private let loop: EpollLoop
  private let child: ChildProcess
  private var text: [UInt8] = []

  init(_ loop: EpollLoop, _ arguments: [String]) throws {
    self.loop = loop
    child = try ChildProcess(loop, program: "/proc/self/exe", arguments: arguments)
  }

  nonisolated(nonsending) func ask(_ request: String) async throws -> String {
    try await send(request)
    return try await line()
  }

  nonisolated(nonsending) func send(_ request: String) async throws {
    try await child.io.write(Array((request + "\n").utf8))
  }

  nonisolated(nonsending) func line() async throws -> String {
    while true {
      if let end = text.firstIndex(of: 0x0A) {
        let line = String(decoding: text[..<end], as: UTF8.self)
        text.removeSubrange(...end)
        return line
      }
      let more = try await child.io.read()
      guard !more.isEmpty else { throw BenchError("the driver ended: \(try await child.end())") }
      text += more
    }
  }

  /// As a crash does: nothing is released, nothing is cancelled.
  nonisolated(nonsending) func kill() async throws {
    child.signal(SIGKILL)
    _ = try await child.waitForExit()
  }

  nonisolated(nonsending) func end() async { _ = try? await child.end() }
}
