import RigFlow
import RigLoop
import RigModel

/// Faults of the bus under the control link. The device only says when: who holds the bus performs them.
extension EmulatedDevice {
  /// A stage's beginning must be heard before the bus fails, and its end must not be.
  private static let margin: Duration = .milliseconds(300)

  /// Performs what is asked of the bus at this stage.
  /// - Returns: whether the device left the bus: an answer that is due never reaches the host.
  @discardableResult
  func disturbPlug(at stage: StageID) async -> Bool {
    guard let plug else { return false }
    var isAway = false
    for verb in PlugFault.verbs {
      guard let fault = take(verb, at: stage), let what = PlugFault(fault) else { continue }
      await plug.perform(what)
      isAway = isAway || what.takesLinkAway
    }
    return isAway
  }

  /// The same in the middle of a stage that the device itself is in.
  func disturbPlugMeanwhile(at stage: StageID, after wait: Duration = margin) async throws {
    guard plug != nil, hasPlugFault(at: stage) else { return }
    try await loop.sleep(for: wait)
    await disturbPlug(at: stage)
    try await loop.sleep(for: EmulatedDevice.margin)
  }

  private func hasPlugFault(at stage: StageID) -> Bool {
    faults.contains { PlugFault.verbs.contains($0.verb) && $0.place == .stage(stage) }
  }
}
