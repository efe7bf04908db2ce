import RigDevice
import RigDrivers
import RigLoop
import RigModel
import RigTestSupport
import StageLinkAgent

/// The Swift agent with an SDK that only waits, at the other end of a wire that can be cut.
// Unchecked: touched only on the loop's thread.
final class AgentBench: @unchecked Sendable {
  let loop: Loop
  let sdk: FakeSDK
  let agent: StageLinkAgent
  let opener: BenchOpener
  let driver: StageLinkDriver
  let log: SignalLog
  private let wire: Wire
  private let life: Task<Void, any Error>

  /// The agent's end of the present channel.
  // Unchecked: touched only on the loop's thread.
  private final class Wire: @unchecked Sendable {
    var channel: (any ByteChannel)?
  }

  init(
    _ loop: Loop, guarded: Bool = false, wallClock: (@Sendable () -> Int64)? = nil,
    ranges: [String: ClosedRange<Double>] = ["bitrate": 0.25...8, "qualityFactor": 0...51, "iFrameInterval": 4...119]
  ) {
    self.loop = loop
    let wire = Wire()
    self.wire = wire
    let sdk = FakeSDK(loop)
    self.sdk = sdk
    var identity = StageLinkIdentity(model: "swift-demo")
    identity.serial = "S1"
    identity.sdk = "fake 1.0"
    identity.ranges = ranges
    identity.probe = ("192.168.42.1", 80)
    let agent = StageLinkAgent(
      identity, sdk: sdk, guarded: guarded, boot: "b1", clock: { loop.now.nanoseconds / 1000 },
      wallClock: wallClock,
      send: { bytes in loop.spawn { try await wire.channel?.write(bytes) } })
    self.agent = agent
    let opener = BenchOpener(guarded: guarded) { channel in
      wire.channel = channel
      agent.linkReset()
      loop.spawn {
        while case let bytes = try await channel.read(), !bytes.isEmpty { agent.receive(bytes) }
      }
      return true
    }
    self.opener = opener
    driver = StageLinkDriver(loop, opener) { "n\(opener.attempts)" }
    log = SignalLog(loop)
    life = loop.spawn {
      while true {
        try await loop.sleep(for: .seconds(1))
        agent.tick()
      }
    }
  }

  func end() { life.cancel() }

  func call(_ method: String, _ params: JSONValue = [:]) async throws -> JSONValue {
    try await driver.call(method, params, timeout: .seconds(3))
  }

  func start(_ run: String = "r1", _ params: JSONValue = "default") async throws {
    _ = try await call("start", ["run": .string(run), "flow": "rtsp-hotspot", "params": params])
  }
}
