import Glibc
import RigDevice
import RigLoop
import RigModel
import RigPlan

/// A command of a rig file that is run to its end.
struct RigCommand {
  let loop: EpollLoop
  let device: Rig.Device
  let template: CommandTemplate
  var action = ""
  var file = ""
  var limit: Duration = .seconds(60)
  /// A descriptor for its stderr, taken over; `nil`: that stands in the message, as its stdout does.
  var log: Int32?
  /// Whether the run was interrupted; `nil`: the command is let run to its end all the same.
  var isStopped: (@Sendable () -> Bool)?

  /// How long it may go on after an interrupt, and then after SIGTERM.
  private static let grace: Duration = .seconds(1)
  private static let look: Duration = .milliseconds(100)

  /// What does not end in time is ended together with all that it started.
  /// - Throws: `SystemError` or `DriverError` where it does not end well, or not in time.
  func run() async throws {
    let (path, arguments) = try device.program(template, action: action, file: file)
    let watch = Watch(loop)
    let errors = try log == nil ? ErrorPipe(loop) { watch.take($0) } : nil
    let child = try ChildProcess(loop, program: path, arguments: arguments, stderr: log ?? errors?.childEnd)
    // What it leaves running may keep its output open: its end is what counts, not the end of that.
    let reader = loop.spawn {
      while case let bytes = try await child.io.read(), !bytes.isEmpty { watch.take(bytes) }
    }
    watch.begin(child, limit: limit, isStopped: isStopped)
    defer { watch.end() }
    let exit = try await child.waitForExit()
    reader.cancel()
    watch.take(child.io.readNow(limit: Watch.limit))
    if let errors { watch.take(errors.close(limit: Watch.limit)) }
    child.io.close()
    let quoted = PrintableText.quote(template.program)
    if let why = watch.why { throw DriverError("\(quoted) \(why)\(watch.text)") }
    guard exit == .code(0) else { throw DriverError("\(quoted) ended with \(exit)\(watch.text)") }
  }

  /// The beginning of what a command printed, and what ends it.
  // Unchecked: touched only on the loop's thread.
  private final class Watch: @unchecked Sendable {
    static let limit = 400
    private let loop: EpollLoop
    private var bytes: [UInt8] = []
    private var timers: [TimerID] = []
    private(set) var why: String?

    init(_ loop: EpollLoop) { self.loop = loop }

    func take(_ more: [UInt8]) { bytes += more.prefix(max(0, Watch.limit - bytes.count)) }

    /// For the end of a message.
    var text: String {
      bytes.isEmpty ? "" : ": \(PrintableText.cut(String(decoding: bytes.prefix(200), as: UTF8.self)))"
    }

    func begin(_ child: ChildProcess, limit: Duration, isStopped: (@Sendable () -> Bool)?) {
      after(limit) {
        self.why = self.why ?? "did not end in \(limit.text)"
        child.signalGroup(SIGKILL)
      }
      if let isStopped { wait(child, isStopped) }
    }

    private func wait(_ child: ChildProcess, _ isStopped: @escaping @Sendable () -> Bool) {
      after(RigCommand.look) {
        guard isStopped() else { return self.wait(child, isStopped) }
        self.after(RigCommand.grace) {
          self.why = self.why ?? "was ended with the run"
          child.signalGroup(SIGTERM)
          self.after(RigCommand.grace) { child.signalGroup(SIGKILL) }
        }
      }
    }

    private func after(_ time: Duration, _ work: @escaping @Sendable () -> Void) {
      // The limit's, and the latest of the others.
      timers = timers.prefix(1) + [loop.schedule(at: loop.now + time, work)]
    }

    func end() {
      for timer in timers { loop.cancel(timer) }
      timers = []
    }
  }
}
