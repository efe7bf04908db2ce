import Glibc
import RigLoop
import RigPlan

/// The recorder on a device's phone, as the rig file says how to start it and how to fetch what it recorded.
///
/// It remembers how far the capture reached when it was fetched last: what lies before belongs to no later case. So
/// that this holds for the first case too, the capture is fetched once before it.
actor PhoneRecorder {
  private let loop: EpollLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  private let device: Rig.Device
  private let phone: Rig.Phone
  /// Whether it is known what the phone holds from before.
  private(set) var isPrimed = false
  /// By the phone's clock, ns since 1970; `nil`: it held nothing.
  private(set) var seenBefore: Int64?

  private let isStopped: @Sendable () -> Bool

  /// - Parameter isStopped: whether the run was interrupted: a command does not go on for long then.
  init(_ loop: EpollLoop, _ device: Rig.Device, _ phone: Rig.Phone, isStopped: @escaping @Sendable () -> Bool) {
    self.isStopped = isStopped
    self.loop = loop
    self.device = device
    self.phone = phone
  }

  /// - Parameter last: the time of the latest packet that the phone held; `nil`: it held none.
  func primed(_ last: Int64?) {
    isPrimed = true
    if let last { seenBefore = max(seenBefore ?? last, last) }
  }

  /// - Parameter log: a descriptor for the command's stderr, taken over.
  /// - Throws: `SystemError` or `DriverError` where the recorder does not start.
  func begin(log: Int32?) async throws {
    guard let begin = phone.begin else {
      if let log { close(log) }
      return
    }
    try await run(begin, file: "", log)
  }

  /// Has the capture written to `path`, an absolute one, where nothing is.
  /// - Throws: `SystemError` or `DriverError` where the command does not end well, or not in time.
  func fetch(to path: String, log: Int32?) async throws {
    unlink(path)
    try await run(phone.capture, file: path, log)
  }

  private func run(_ template: CommandTemplate, file: String, _ log: Int32?) async throws {
    try await RigCommand(
      loop: loop, device: device, template: template, file: file, limit: phone.limit, log: log, isStopped: isStopped
    ).run()
  }
}
