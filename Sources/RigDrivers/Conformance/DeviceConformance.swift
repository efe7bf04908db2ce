public import RigDevice
public import RigLoop

/// The conformance script: numbered steps that every device must satisfy that speaks stage-link/1, over any channel.
///
/// The lines depend on no time, id or channel: those of one device over two channels differ only where a line says why.
public struct DeviceConformance: Sendable {
  public struct Settings: Sendable {
    /// Start and stop sessions. Without, the steps that need one are skipped.
    public var sessions = true
    /// Reset the device, if it offers that.
    public var reset = true
    /// The device lives on when its channel is closed; that of a program's stdio does not.
    public var outlivesChannel = true
    /// How long a session may take to start.
    public var patience: Duration = .seconds(180)
    /// How long a request may wait for its answer.
    public var answerLimit: Duration = .seconds(5)
    public init() {}
  }

  /// How the script ended.
  public enum Ending: Hashable, Sendable {
    case conforming
    /// The device does not satisfy a step.
    case notConforming
    /// Not even a channel to it opened, which says nothing of the device: why.
    case unreached(String)
  }

  private let loop: Loop
  private let opener: any ChannelOpener
  private let settings: Settings
  private let nonces: @Sendable () -> String

  /// - Parameter nonces: gives a fresh, unpredictable word for each greeting.
  public init(
    _ loop: Loop, _ opener: any ChannelOpener, settings: Settings = Settings(), nonces: @escaping @Sendable () -> String
  ) {
    self.loop = loop
    self.opener = opener
    self.settings = settings
    self.nonces = nonces
  }

  /// Runs all steps; `line` gets each as it is known.
  public nonisolated(nonsending) func run(_ line: @escaping (ConformanceLine) -> Void) async -> Ending {
    let steps = ConformanceSteps(loop, opener, settings, nonces: nonces, line)
    guard await steps.greeting() else {
      steps.close()
      return steps.openFailure.map { .unreached($0) } ?? .notConforming
    }
    await steps.requests()
    await steps.records()
    await steps.heartbeats()
    await steps.faults()
    await steps.refusals()
    await steps.session()
    await steps.replay()
    await steps.reconnecting()
    await steps.interruption()
    await steps.injection()
    await steps.reset()
    steps.ending()
    steps.close()
    return steps.isConforming ? .conforming : .notConforming
  }
}
