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
    /// The device boots anew by it, and must prove that. Otherwise the step counts only if what is asked of the device
    /// comes true.
    public var reboots: Bool
    /// - Throws: why the step could not be taken.
    public var take: @Sendable () async throws -> Void
    public init(_ name: String, reboots: Bool = true, _ take: @escaping @Sendable () async throws -> Void) {
      self.name = name
      self.reboots = reboots
      self.take = take
    }
  }

  /// No step brought the device back.
  public struct Exhausted: Error, CustomStringConvertible {
    public let description: String
  }

  /// What a look at the device tells.
  public enum Look: Sendable {
    /// It answers, under this boot id.
    case boot(String)
    /// It does not answer.
    case away
    /// This machine cannot even ask, for this reason: of the device nothing is known.
    case blocked(String)

    var boot: String? { if case .boot(let id) = self { id } else { nil } }
  }

  private let loop: Loop
  private let steps: [Step]
  private let driver: @Sendable () -> any DeviceDriver
  /// How long a device may take to come back.
  private let patience: Duration
  private let told: @Sendable (String) -> Void
  private let isStopped: @Sendable () -> Bool
  private static let retry: Duration = .milliseconds(250)

  /// - Parameters:
  ///   - isStopped: whether the run was interrupted. Looked at before each step, and while the device is waited for.
  ///   - told: called with what became of each step, as it becomes known.
  public init(
    _ loop: Loop, _ steps: [Step], patience: Duration = .seconds(20),
    driver: @escaping @Sendable () -> any DeviceDriver, isStopped: @escaping @Sendable () -> Bool = { false },
    told: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.loop = loop
    self.steps = steps
    self.driver = driver
    self.patience = patience
    self.isStopped = isStopped
    self.told = told
  }

  /// Takes step after step until the device is back under another boot id, and well.
  /// - Parameters:
  ///   - before: the boot id that the device had; `nil`: it is asked.
  ///   - isWell: what else must be true of a device that came back; `nil`: nothing.
  /// - Returns: the step that did it.
  /// - Throws: `Exhausted`, with what became of each step, or `RunInterrupted`.
  public func climb(from before: String? = nil, isWell: (@Sendable () async -> Bool)? = nil) async throws -> String {
    var boot = before
    if boot == nil { boot = try await firstBoot() }
    var tried: [String] = []
    func note(_ text: String) {
      tried.append(text)
      told(text)
    }
    for step in steps {
      try goOn(tried)
      do { try await step.take() } catch {
        note("\(step.name): \(error)")
        continue
      }
      if !step.reboots {
        guard let isWell else {
          note("\(step.name): done, which proves nothing")
          continue
        }
        if await isWell() {
          told("\(step.name): the device is well again")
          return step.name
        }
        note("\(step.name): done, and did not help")
        continue
      }
      guard let now = try await nextBoot(after: boot, tried) else {
        note("\(step.name): no other boot id in \(patience.text)")
        continue
      }
      let proof = "\(step.name): boot \(boot ?? "unknown") became \(now)"
      boot = now
      if let isWell, await !isWell() {
        note("\(proof), and did not help")
        continue
      }
      told(proof)
      return step.name
    }
    // A last step that was cut short by it has not failed.
    try goOn(tried)
    throw Exhausted(description: tried.isEmpty ? "there is no way to reset it" : tried.joined(separator: "; "))
  }

  private func goOn(_ tried: [String]) throws(RunInterrupted) {
    if isStopped() { throw RunInterrupted(after: tried) }
  }

  /// - Throws: `Exhausted` where this machine keeps itself from the device: no step changes that.
  private func firstBoot() async throws(Exhausted) -> String? {
    let look = await look()
    if case .blocked(let reason) = look { throw Exhausted(description: reason) }
    return look.boot
  }

  /// - Returns: the device's new boot id; `nil`: there was none in time.
  private func nextBoot(after before: String?, _ tried: [String]) async throws -> String? {
    let deadline = loop.now + patience
    repeat {
      if let now = await boot(), now != before { return now }
      try goOn(tried)
      try await loop.sleep(for: RecoveryLadder.retry)
    } while loop.now < deadline
    return nil
  }

  /// The boot id of the device as it is now; `nil` while it does not answer.
  public func boot() async -> String? { await look().boot }

  /// Asks the device for its boot id.
  public func look() async -> Look {
    let driver = driver()
    let look: Look
    do { look = .boot(try await driver.open { _ in }.boot) } catch {
      look = (error as? any HostError)?.isOfHost == true ? .blocked("\(error)") : .away
    }
    await driver.close()
    return look
  }
}

// MARK: Steps

extension RecoveryLadder {
  /// Takes all faults back that somebody left in the device.
  public static func clearFaults(_ driver: @escaping @Sendable () -> any DeviceDriver) -> Step {
    Step("clear faults", reboots: false) {
      let driver = driver()
      var refusal: (any Error)?
      do {
        _ = try await driver.open { _ in }
        _ = try await driver.call("clear", [:], timeout: .seconds(5))
      } catch { refusal = error }
      await driver.close()
      if let refusal { throw refusal }
    }
  }

  /// Asks the agent itself to reset.
  public static func agentReset(_ driver: @escaping @Sendable () -> any DeviceDriver) -> Step {
    Step("agent reset") {
      let driver = driver()
      var refusal: (any Error)?
      do { _ = try await driver.open { _ in } } catch {
        // Nobody is there to be asked.
        await driver.close()
        throw error
      }
      do {
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

  /// Takes the power away and gives it back. Each closure ends when its command has ended well.
  public static func power(
    _ loop: Loop, off: @escaping @Sendable () async throws -> Void, pause: Duration,
    on: @escaping @Sendable () async throws -> Void
  ) -> Step {
    Step("power") {
      do { try await off() } catch {
        // A switch that failed half-way must not leave the device dark.
        let first = error
        do { try await on() } catch { throw DriverError("\(first); and on again: \(error)") }
        throw first
      }
      try await loop.sleep(for: pause)
      try await on()
    }
  }
}
