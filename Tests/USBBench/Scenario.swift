import CMockUSB
import RigLoop
import RigModel

/// A conversation between emulated devices and the driver, and what is printed of it.
struct Scenario: Sendable {
  let name: String
  let play: @Sendable (Bench) async throws -> Void

  init(_ name: String, _ play: @escaping @Sendable (Bench) async throws -> Void) {
    self.name = name
    self.play = play
  }

  static let all: [Scenario] = discovery + channel + recovery + link
}

extension Bench {
  /// Plugs in a device that sends everything back.
  func plugEcho(_ spec: MockBus.Spec = MockBus.Spec()) throws {
    let firmware = try bus.plug(loop, spec)
    loop.spawn {
      while case let bytes = try await firmware.read(), !bytes.isEmpty { try await firmware.write(bytes) }
    }
  }

  /// Asks, and says what was answered.
  nonisolated(nonsending) func ask(_ driver: DriverProcess, _ request: String) async throws {
    say("\(request): \(try await driver.ask(request))")
  }
}
