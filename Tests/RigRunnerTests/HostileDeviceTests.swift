import RigDevice
import RigLoop
import RigModel
import RigWire
import Testing

@testable import RigRunner

/// A device that does more than was asked, or tells secrets.
@Suite struct HostileDeviceTests {
  /// A driver that changes what the device says.
  // Unchecked: touched only on the loop's thread.
  private final class Twist: DeviceDriver, @unchecked Sendable {
    let driver: any DeviceDriver
    let loop: Loop
    private var signal: @Sendable (DriverSignal) -> Void = { _ in }
    /// Called before `start` goes out.
    var beforeStart: (@Sendable (DriverSignal) -> Void) -> Void = { _ in }
    var change: @Sendable (DriverSignal) -> [DriverSignal] = { [$0] }

    init(_ driver: any DeviceDriver, _ loop: Loop) {
      self.driver = driver
      self.loop = loop
    }
    func open(_ signal: @escaping @Sendable (DriverSignal) -> Void) async throws -> Hello {
      self.signal = signal
      return try await driver.open { [self] in for changed in change($0) { signal(changed) } }
    }
    func call(_ method: String, _ params: JSONValue, timeout: Duration) async throws -> JSONValue {
      if method == "start" {
        beforeStart(signal)
        // What was signalled is taken before the answer comes.
        try await loop.sleep(for: .milliseconds(1))
      }
      return try await driver.call(method, params, timeout: timeout)
    }
    func close() async { await driver.close() }
    func clockError() async -> Duration? { await driver.clockError() }
    func damagedCount() async -> Int { await driver.damagedCount() }
  }

  private func run(_ arrange: @escaping @Sendable (Twist) -> Void) throws -> (record: RunRecord, log: RunLog) {
    let (log, _, _) = try Cases.run([Cases.scheduled(Cases.plan())]) { bench, _ in
      bench.wrapDriver = { [loop = bench.loop] driver in
        let twist = Twist(driver, loop)
        arrange(twist)
        return twist
      }
    }
    return (try #require(log.records.first), log)
  }

  @Test(arguments: [900, 5_000])
  func aFloodBeforeTheAnswerToStartIsBounded(_ count: Int) throws {
    let (record, log) = try run { twist in
      twist.beforeStart = { signal in
        for i in 0..<count {
          signal(
            .event(
              DeviceEvent(
                received: .zero, sequence: Int64(i), boot: "b", run: nil, name: "x.noise", source: "device", data: .null
              )))
        }
      }
    }
    let kept = log.entries("case").count { if case .event(let event) = $0 { event.name == "x.noise" } else { false } }
    let most = Allowance.Kind.early.most
    #expect(kept == min(count, most))
    let told = log.entries("case").contains {
      $0 == .note("1000 events before the answer to start are kept of a case: what follows is not")
    }
    #expect(told == (count > most))
    #expect(record.verdict == (count > most ? .inconclusive : .pass), "\(record.reason)")
  }

  @Test func thePasswordOfAnAddressIsInNoReport() throws {
    let (record, log) = try run { twist in
      twist.change = { signal in
        guard case .event(var event) = signal, event.name == "rtspAddressReceived",
          let address = event.data["address"]?.string
        else { return [signal] }
        event.data = ["address": .string(address.replacing("rtsp://", with: "rtsp://admin:Pa%2F55w0rd@"))]
        return [.event(event), .deviceLog(Array("opened with Pa%2F55w0rd, that is Pa/55w0rd".utf8))]
      }
    }
    let journal = log.journal.joined(separator: "\n")
    #expect(journal.contains("opened with [redacted], that is [redacted]"), "\(record.reason)")
    #expect(!journal.contains("55w0rd"))
  }
}
