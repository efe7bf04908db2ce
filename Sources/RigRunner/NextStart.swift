public import RigDevice
import RigLoop
import RigModel
import RigWire

/// How it is found out whether a device takes a start again after a case, and what can be done if it does not.
public struct NextStart: Sendable {
  /// Tells the devices of a run apart.
  public var device: String
  /// A fresh driver to the same device.
  public var driver: @Sendable () -> any DeviceDriver
  /// Brings the device back to where it takes a start.
  public var recovery: RecoveryLadder
  /// A device whose control link is lost at the end of a case is brought back at once, for the cases to come.
  public var recoversLostControl: Bool

  public init(
    device: String, driver: @escaping @Sendable () -> any DeviceDriver, recovery: RecoveryLadder,
    recoversLostControl: Bool = false
  ) {
    self.device = device
    self.driver = driver
    self.recovery = recovery
    self.recoversLostControl = recoversLostControl
  }

  /// How long a device may take to answer a start.
  static let patience: Duration = .seconds(10)

  /// Starts a session that nobody needs, and stops it at once. Its own clean-up is not judged.
  /// - Returns: `next-start.accepted` or `next-start.refused`; `nil` where the device could not be asked.
  func probe(_ loop: Loop, flow: FlowID, run: String) async -> (fact: Fact, owner: String?)? {
    let driver = driver()
    guard (try? await driver.open { _ in }) != nil else {
      await driver.close()
      return nil
    }
    let request: JSONValue = [
      "run": .string(run), "flow": .string(flow.rawValue), "params": "default",
      "ownerTimeoutMs": .integer(LeftRun.ownerTimeout.nanoseconds / 1_000_000),
    ]
    var result: (Fact, String?)?
    do {
      _ = try await driver.call("start", request, timeout: NextStart.patience)
      result = (Fact(.nextStartAccepted, by: .control, at: loop.now, detail: "a probe start was accepted"), nil)
      _ = try? await driver.call("stop", ["run": .string(run)], timeout: .seconds(5))
    } catch let error as StageLinkError where error.code != StageLinkError.Code.timeout.rawValue {
      result = (
        Fact(.nextStartRefused, by: .control, at: loop.now, detail: "a probe start was refused: \(error)"),
        error.owner
      )
    } catch {
      result = nil
    }
    await driver.close()
    return result
  }
}

extension StageLinkError {
  /// The run that a busy device says it is busy with.
  var owner: String? { code == Code.busy.rawValue ? data["owner"]?.string : nil }
}
