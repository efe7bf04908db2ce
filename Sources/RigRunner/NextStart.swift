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

  /// How long a probe may take to end once it was stopped.
  static let endPatience: Duration = .seconds(10)
  private static let lookEvery: Duration = .milliseconds(250)

  /// What a probe start told.
  enum Answer {
    case accepted(Fact)
    /// The device still serves a run, or is in a state of one: something was left.
    /// - owner: the run, where the device says.
    case refused(Fact, owner: String?)
    /// Why it tells nothing of the cases before: the device does not answer, or refuses for a reason of its own.
    case unknown(String)
  }

  /// Starts a session that nobody needs, stops it at once, and waits for its end: whoever comes next must find the device
  /// idle. Its own clean-up is not judged.
  /// - Parameter isStopped: whether the run was interrupted, for which nobody need wait any more.
  func probe(
    _ loop: Loop, flow: FlowID, run: String, isStopped: @Sendable () -> Bool = { false }
  ) async -> Answer {
    let driver = driver()
    do { _ = try await driver.open { _ in } } catch {
      await driver.close()
      return .unknown("the device could not be asked for a probe start: \(error)")
    }
    let request: JSONValue = [
      "run": .string(run), "flow": .string(flow.rawValue), "params": "default",
      "ownerTimeoutMs": .integer(LeftRun.ownerTimeout.nanoseconds / 1_000_000),
    ]
    var answer: Answer
    do {
      _ = try await driver.call("start", request, timeout: NextStart.patience)
      var fact = Fact(.nextStartAccepted, by: .control, at: loop.now, detail: "a probe start was accepted")
      do {
        _ = try await driver.call("stop", ["run": .string(run)], timeout: .seconds(5))
        if try await !waitForEnd(of: run, loop, driver, isStopped) {
          fact.detail += "; \(NextStart.endPatience.text) after its stop it had not ended"
        }
      } catch {
        // That it began is what was to be shown; the device ends what nobody owns by itself.
        fact.detail += "; its end was not seen: \(error)"
      }
      answer = .accepted(fact)
    } catch let error as StageLinkError where error.meansLeftOver {
      let fact = Fact(.nextStartRefused, by: .control, at: loop.now, detail: "a probe start was refused: \(error)")
      answer = .refused(fact, owner: error.owner)
    } catch let error as StageLinkError where error.known != .timeout {
      answer = .unknown("a probe start was refused, which says nothing of the cases before: \(error)")
    } catch {
      answer = .unknown("a probe start was not answered: \(error)")
    }
    await driver.close()
    return answer
  }

  /// A stop is only accepted; the device is idle once it serves the run no more.
  /// - Returns: whether it ended in time.
  private func waitForEnd(
    of run: String, _ loop: Loop, _ driver: any DeviceDriver, _ isStopped: @Sendable () -> Bool
  ) async throws -> Bool {
    let deadline = loop.now + NextStart.endPatience
    while true {
      let state = try await driver.call("state", [:], timeout: .seconds(5))
      if state["run"]?.string != run { return true }
      guard loop.now < deadline, !isStopped() else { return false }
      try await loop.sleep(for: NextStart.lookEvery)
    }
  }
}

extension StageLinkError {
  /// The refusal of a start shows something that an earlier run left: the device is busy, or in a state of a session.
  /// One that is hot, or does not know the flow, refuses for a reason of its own.
  var meansLeftOver: Bool { known == .busy || known == .badState }
  /// The run that a busy device says it is busy with.
  var owner: String? { code == Code.busy.rawValue ? data["owner"]?.string : nil }
}
