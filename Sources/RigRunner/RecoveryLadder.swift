public import RigDevice
public import RigLoop
import RigModel
import RigWire

/// Steps that bring a device back, the mildest first. A step counts only if the device proves it with another boot id;
/// one that the device refuses, or that proves nothing, is followed by the next.
public struct RecoveryLadder: Sendable {
  public struct Step: Sendable {
    /// `agent reset`
    public var name: String
    /// - Throws: why the step could not be taken.
    public var take: @Sendable () async throws -> Void
    public init(_ name: String, _ take: @escaping @Sendable () async throws -> Void) {
      self.name = name
      self.take = take
    }
  }

  /// No step brought the device back.
  public struct Exhausted: Error, CustomStringConvertible {
    public let description: String
  }

  private let loop: Loop
  private let steps: [Step]
  private let driver: @Sendable () -> any DeviceDriver
  /// How long a device may take to come back.
  private let patience: Duration
  private static let retry: Duration = .milliseconds(250)

  public init(
    _ loop: Loop, _ steps: [Step], patience: Duration = .seconds(20),
    driver: @escaping @Sendable () -> any DeviceDriver
  ) {
    self.loop = loop
    self.steps = steps
    self.driver = driver
    self.patience = patience
  }

  /// Asks the agent itself to reset.
  public static func agentReset(_ driver: @escaping @Sendable () -> any DeviceDriver) -> Step {
    Step("agent reset") {
      let driver = driver()
      var refusal: (any Error)?
      do {
        _ = try await driver.open { _ in }
        _ = try await driver.call("reset", ["level": "agent"], timeout: .seconds(5))
      } catch let error as StageLinkError where error.code == StageLinkError.Code.timeout.rawValue {
        // A device that resets at once may not get its reply out: the boot id will tell.
      } catch let error as StageLinkError {
        refusal = error
      } catch {
        // Nor its connection closed in order.
      }
      await driver.close()
      if let refusal { throw refusal }
    }
  }

  /// Takes step after step until the device is back under another boot id.
  /// - Returns: the step that did it.
  /// - Throws: `Exhausted`, with what became of each step.
  public func climb() async throws -> String {
    let before = await boot()
    var tried: [String] = []
    for step in steps {
      do { try await step.take() } catch {
        tried.append("\(step.name): \(error)")
        continue
      }
      let deadline = loop.now + patience
      repeat {
        if let now = await boot(), now != before { return step.name }
        try await loop.sleep(for: RecoveryLadder.retry)
      } while loop.now < deadline
      tried.append("\(step.name): no other boot id in \(patience.text)")
    }
    throw Exhausted(description: tried.isEmpty ? "there is no way to reset it" : tried.joined(separator: "; "))
  }

  /// `nil` while the device does not answer.
  private func boot() async -> String? {
    let driver = driver()
    let hello = try? await driver.open { _ in }
    await driver.close()
    return hello?.boot
  }
}
