public import RigDevice
public import RigLoop
import RigModel
import RigWire

/// A run that a device still serves though this harness began none: its harness was killed, or drives the device from
/// another machine.
///
/// The device ends the run of a harness that is gone by itself, `ownerTimeoutMs` after it last heard anything. Any
/// message counts as the harness's, so the link must be closed meanwhile. Nobody's run is stopped: who still drives the
/// device keeps it.
public enum LeftRun {
  /// What starts ask for as `ownerTimeoutMs`.
  public static let ownerTimeout: Duration = .seconds(10)
  /// What a device may take to notice, and to end its session.
  static let slack: Duration = .seconds(3)

  /// Looks whether the device serves a run, and gives it the time to end it. To be called before the first case of a
  /// device.
  /// - Parameters:
  ///   - driver: fresh drivers to the device.
  ///   - isStopped: whether the run was interrupted, for which nobody need wait any more.
  ///   - told: called before a wait, with what is waited for.
  /// - Returns: what ended; `nil`: the device served no run.
  /// - Throws: `DevicePreflight.Problem` where the run goes on, `RunInterrupted`, or what the driver throws.
  public static nonisolated(nonsending) func waitOut(
    _ loop: Loop, _ driver: @Sendable () -> any DeviceDriver, isStopped: @Sendable () -> Bool = { false },
    told: (String) -> Void = { _ in }
  ) async throws -> String? {
    guard let run = try await served(driver()) else { return nil }
    let patience = ownerTimeout + slack
    told(
      "the device is still in run \(run.debugDescription), which this run did not begin: waiting \(patience.text) for "
        + "its owner timeout")
    let end = loop.now + patience
    while loop.now < end {
      if isStopped() { throw RunInterrupted() }
      try await loop.sleep(for: min(.milliseconds(250), end - loop.now))
    }
    guard let still = try await served(driver()) else { return "run \(run.debugDescription) of another harness ended" }
    throw DevicePreflight.Problem(
      "it is busy with run \(still.debugDescription), which this run did not begin, and which did not end in "
        + "\(patience.text) without us: another harness drives it, or it ignores its owner timeout",
      // A reset would end the run of who drives it.
      isCurable: false)
  }

  /// - Returns: the run that the device says it serves.
  private static nonisolated(nonsending) func served(_ driver: any DeviceDriver) async throws -> String? {
    do {
      _ = try await driver.open { _ in }
      let state = try await driver.call("state", [:], timeout: .seconds(5))
      await driver.close()
      return state["run"]?.string
    } catch {
      await driver.close()
      throw error
    }
  }
}
