import Glibc
import RigDevice
import RigLoop
import RigModel
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

  private static let outputLimit = 400

  init(_ loop: EpollLoop, _ device: Rig.Device, _ phone: Rig.Phone) {
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
    let (program, arguments) = try device.program(template, file: file)
    let child = try ChildProcess(loop, program: program, arguments: arguments, stderr: log)
    let said = Said()
    // A recorder that goes on in the background may hold the pipe open: only the command's own end counts.
    let reader = loop.spawn {
      while case let bytes = try await child.io.read(), !bytes.isEmpty {
        if said.text.count < PhoneRecorder.outputLimit { said.text += bytes.prefix(PhoneRecorder.outputLimit) }
      }
    }
    let timer = loop.schedule(at: loop.now + phone.limit) {
      said.isLate = true
      child.signal(SIGKILL)
    }
    let exit = try await child.waitForExit()
    loop.cancel(timer)
    // What the command said before it ended lies in the pipe.
    try await loop.sleep(for: .milliseconds(10))
    child.io.close()
    _ = await reader.result
    let quoted = PrintableText.quote(template.program)
    if said.isLate { throw DriverError("\(quoted) did not end in \(phone.limit.text)") }
    guard exit == .code(0) else {
      let text = PrintableText.cut(String(decoding: said.text.prefix(200), as: UTF8.self))
      throw DriverError("\(quoted) ended with \(exit)" + (said.text.isEmpty ? "" : ": \(text)"))
    }
  }

  // Unchecked: touched only on the loop's thread.
  private final class Said: @unchecked Sendable {
    var text: [UInt8] = []
    var isLate = false
  }
}
