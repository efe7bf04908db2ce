public import RigDevice
public import RigLoop
import RigModel
import RigWire

/// A run that a device still serves though this harness began none: its harness was killed, or drives the device from
/// another machine.
///
/// The device ends the run of a harness that is gone by itself, `ownerTimeoutMs` after it last heard anything. Any
/// message counts as the harness's, so the link must be closed meanwhile, and nobody may look. A run that was stopped is
/// another thing: it is looked at each second until it is over. Nobody's run is stopped: who still drives the device
/// keeps it.
public enum LeftRun {
  /// What starts ask for as `ownerTimeoutMs`.
  public static let ownerTimeout: Duration = .seconds(10)
  /// What a device may take to notice, and to end its session.
  static let slack: Duration = .seconds(3)
  /// When a run that is about to be over is looked at again.
  static let lookAgain: Duration = .seconds(1)

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
    guard let first = try await served(driver()) else { return nil }
    let patience = ownerTimeout + slack
    let run = first.run.debugDescription
    func wait(_ time: Duration) async throws {
      let end = loop.now + time
      while loop.now < end {
        if isStopped() { throw RunInterrupted() }
        try await loop.sleep(for: min(.milliseconds(250), end - loop.now))
      }
    }
    let ended = "run \(run) of another harness ended"
    if first.isEnding {
      // Somebody stopped it. Its owner need not go silent for it to end, so that looking again does no harm.
      told("the device is still ending run \(run), which this run did not begin: waiting \(patience.text) at most")
      let deadline = loop.now + patience
      var last = first
      while last.isEnding, loop.now < deadline {
        try await wait(min(lookAgain, deadline - loop.now))
        guard let now = try await served(driver()) else { return ended }
        last = now
      }
      // Its owner is no longer what it waits for.
      if last.isEnding { throw problem(last.run, "it does not come to the end of it") }
    }
    told(
      "the device is still in run \(run), which this run did not begin: waiting \(patience.text) for its owner timeout")
    try await wait(patience)
    guard let still = try await served(driver()) else { return ended }
    throw problem(still.run, "another harness drives it, or it ignores its owner timeout")
  }

  private static func problem(_ run: String, _ why: String) -> DevicePreflight.Problem {
    DevicePreflight.Problem(
      "it is busy with run \(run.debugDescription), which this run did not begin, and which did not end in "
        + "\((ownerTimeout + slack).text) without us: \(why)",
      // A reset would end the run of who drives it.
      isCurable: false)
  }

  /// What the device says it serves.
  private struct Served {
    let run: String
    /// It was stopped, and is about to be over.
    let isEnding: Bool
  }

  private static nonisolated(nonsending) func served(_ driver: any DeviceDriver) async throws -> Served? {
    do {
      _ = try await driver.open { _ in }
      let state = try await driver.call("state", [:], timeout: .seconds(5))
      await driver.close()
      return state["run"]?.string.map { Served(run: $0, isEnding: state["state"]?.string == "stopping") }
    } catch {
      await driver.close()
      throw error
    }
  }
}
