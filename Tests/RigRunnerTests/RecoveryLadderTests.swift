import RigDevice
import RigLoop
import RigModel
import RigRunner
import RigWire
import Testing

/// A device of which only the boot id counts.
// Unchecked: touched only on the loop's thread.
private final class BootDevice: @unchecked Sendable {
  /// `nil`: it does not answer.
  var boot: String? = "b1"
  var calls: [String] = []
  /// Why this machine cannot reach it; `nil`: it can.
  var blocked: String?

  func driver() -> any DeviceDriver { Driver(device: self) }

  private struct Driver: DeviceDriver {
    let device: BootDevice
    func open(_ signal: @escaping @Sendable (DriverSignal) -> Void) async throws -> Hello {
      if let reason = device.blocked { throw DriverError(reason, isOfHost: true) }
      guard let boot = device.boot else { throw DriverError("no answer") }
      return Hello(
        nonce: "n", boot: boot, agentName: "a", agentVersion: "1", role: .firmware, model: "M", serial: "S",
        flows: [], capabilities: [])
    }
    func call(_ method: String, _ params: JSONValue, timeout: Duration) async throws -> JSONValue {
      device.calls.append(method)
      return [:]
    }
    func close() async {}
    func clockError() async -> Duration? { nil }
    func damagedCount() async -> Int { 0 }
  }
}

@Suite struct RecoveryLadderTests {
  // Unchecked: touched only on the loop's thread.
  private final class Log: @unchecked Sendable { var lines: [String] = [] }

  /// Climbs in virtual time.
  private func climb(
    _ steps: (BootDevice, VirtualLoop) -> [RecoveryLadder.Step], from: String? = nil,
    isWell: (@Sendable (BootDevice) -> Bool)? = nil,
    isStopped: @escaping @Sendable (BootDevice) -> Bool = { _ in false }
  ) throws -> (result: Result<String, RecoveryLadder.Exhausted>, told: [String], took: HostTime, device: BootDevice) {
    let loop = VirtualLoop()
    let device = BootDevice()
    let log = Log()
    let ladder = RecoveryLadder(
      loop, steps(device, loop), driver: { device.driver() }, isStopped: { isStopped(device) },
      told: { log.lines.append($0) })
    let well: (@Sendable () async -> Bool)? = isWell.map { body in { @Sendable in body(device) } }
    let result = try loop.run { () -> Result<String, RecoveryLadder.Exhausted> in
      do { return .success(try await ladder.climb(from: from, isWell: well)) } catch let error
        as RecoveryLadder.Exhausted
      {
        return .failure(error)
      }
    }
    return (result, log.lines, loop.now, device)
  }

  private func reboot(_ device: BootDevice, _ boot: String?) -> RecoveryLadder.Step {
    RecoveryLadder.Step("step \(boot ?? "none")") { device.boot = boot }
  }

  @Test func theFirstStepThatProvesItselfIsEnough() throws {
    let run = try climb { device, _ in [reboot(device, "b2"), reboot(device, "b3")] }
    #expect(try run.result.get() == "step b2")
    #expect(run.told == ["step b2: boot b1 became b2"])
    #expect(run.device.boot == "b2")
  }

  /// Its word is no proof: a device that answers under its old boot id has not been reset.
  @Test func aStepThatChangesNothingIsFollowedByTheNext() throws {
    let run = try climb { device, _ in
      [
        RecoveryLadder.Step("idle") {}, RecoveryLadder.Step("refused") { throw DriverError("not today") },
        reboot(device, "b2"),
      ]
    }
    #expect(try run.result.get() == "step b2")
    #expect(run.told == ["idle: no other boot id in 20 s", "refused: not today", "step b2: boot b1 became b2"])
    #expect(run.took >= HostTime.zero + .seconds(20))
  }

  @Test func aDeviceThatStaysAwayExhaustsTheLadder() throws {
    let run = try climb { device, _ in [reboot(device, nil)] }
    #expect(throws: RecoveryLadder.Exhausted.self) { try run.result.get() }
    if case .failure(let error) = run.result { #expect(error.description == "step none: no other boot id in 20 s") }
  }

  /// A device that does not answer is known by the boot id that it had: the same one again proves no reset.
  @Test func theBootIdOfBeforeCounts() throws {
    let steps: (BootDevice, VirtualLoop) -> [RecoveryLadder.Step] = { device, _ in
      device.boot = nil
      return [RecoveryLadder.Step("plugged in again") { device.boot = "b1" }]
    }
    #expect(throws: RecoveryLadder.Exhausted.self) { try climb(steps, from: "b1").result.get() }
    #expect(try climb(steps).result.get() == "plugged in again")
  }

  @Test func aResetDeviceMustAlsoBeWell() throws {
    let run = try climb({ device, _ in [reboot(device, "b2"), reboot(device, "b3")] }) { $0.boot == "b3" }
    #expect(try run.result.get() == "step b3")
    #expect(run.told == ["step b2: boot b1 became b2, and did not help", "step b3: boot b2 became b3"])
  }

  /// It resets nothing, so that it counts only where something was asked of the device, and came true.
  @Test func clearingFaultsProvesNothingByItself() throws {
    let steps: (BootDevice, VirtualLoop) -> [RecoveryLadder.Step] = { device, _ in
      [RecoveryLadder.clearFaults { device.driver() }, reboot(device, "b2")]
    }
    #expect(try climb(steps).result.get() == "step b2")
    let well = try climb(steps) { $0.calls == ["clear"] }
    #expect(try well.result.get() == "clear faults")
    #expect(well.device.boot == "b1")
    #expect(try climb(steps, isWell: { $0.boot == "b2" }).result.get() == "step b2")
  }

  /// After an interrupt nothing more is done to the device.
  @Test func anInterruptEndsItBeforeTheNextStep() throws {
    let interrupted: @Sendable (BootDevice) -> Bool = { !$0.calls.isEmpty }
    let steps: (BootDevice, VirtualLoop) -> [RecoveryLadder.Step] = { device, _ in
      [
        RecoveryLadder.Step("first") {
          device.calls.append("first")
          throw DriverError("not today")
        }, RecoveryLadder.Step("second") { device.calls.append("second") },
      ]
    }
    let error = #expect(throws: RunInterrupted.self) { _ = try climb(steps, isStopped: interrupted) }
    #expect(error?.description == "first: not today; no further: the run was interrupted")
  }

  /// Whether the device could have been brought back is not known: the ladder is not at its end.
  @Test func aLastStepThatIsCutShortIsNoFailure() throws {
    let steps: (BootDevice, VirtualLoop) -> [RecoveryLadder.Step] = { device, _ in
      [
        RecoveryLadder.Step("person") {
          device.calls.append("person")
          throw RunInterrupted()
        }
      ]
    }
    #expect(throws: RunInterrupted.self) { _ = try climb(steps, isStopped: { !$0.calls.isEmpty }) }
  }

  /// Nor is it waited for.
  @Test func anInterruptEndsTheWaitForADevice() throws {
    let loop = VirtualLoop()
    let device = BootDevice()
    let ladder = RecoveryLadder(
      loop, [RecoveryLadder.Step("reset") { device.calls.append("reset") }], driver: { device.driver() },
      isStopped: { !device.calls.isEmpty })
    #expect(throws: RunInterrupted.self) { try loop.run { _ = try await ladder.climb() } }
    #expect(loop.now < HostTime.zero + .seconds(1))
  }

  /// Another program has the line: the device may be doing well.
  @Test func aDeviceThatThisMachineKeepsFromItselfIsLeftAlone() throws {
    let run = try climb { device, _ in
      device.blocked = "another process has the line"
      return [RecoveryLadder.Step("power") { device.calls.append("power") }]
    }
    #expect(run.device.calls.isEmpty)
    if case .failure(let error) = run.result { #expect(error.description == "another process has the line") }
  }

  @Test func powerIsOffForThePause() throws {
    let log = Log()
    let run = try climb { device, loop in
      [
        RecoveryLadder.power(
          loop,
          off: {
            log.lines.append("off \(loop.now)")
            device.boot = nil
          }, pause: .seconds(5),
          on: {
            log.lines.append("on \(loop.now)")
            device.boot = "b2"
          })
      ]
    }
    #expect(try run.result.get() == "power")
    #expect(log.lines == ["off \(HostTime.zero)", "on \(HostTime.zero + .seconds(5))"])
  }

  /// A switch that fails half-way does not leave the device dark.
  @Test func powerComesBackEvenIfItDidNotGoWell() throws {
    let log = Log()
    let run = try climb { _, loop in
      [
        RecoveryLadder.power(
          loop, off: { throw DriverError("relay stuck") }, pause: .seconds(5), on: { log.lines.append("on") })
      ]
    }
    #expect(throws: RecoveryLadder.Exhausted.self) { try run.result.get() }
    #expect(run.told == ["power: relay stuck"])
    #expect(log.lines == ["on"])
  }
}
