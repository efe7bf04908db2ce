public import RigModel

/// A loop whose time moves only when nothing is ready: hours pass in milliseconds, in the same order each run.
// Unchecked: see Loop.
public final class VirtualLoop: Loop, @unchecked Sendable {
  private var time: HostTime = .zero

  public override init() { super.init() }

  public override var now: HostTime { time }

  override func idle(until deadline: HostTime?) throws(LoopStalled) {
    guard let deadline else { throw LoopStalled(at: time) }
    time = max(time, deadline)
  }

  override var firesOneTimerATime: Bool { true }
}
