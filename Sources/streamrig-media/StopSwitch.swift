import CAV
import Glibc
import RigModel
import Synchronization

/// Says when a blocking libav call must end: on request (a command, the end of input, a signal) or at a deadline.
///
/// libav asks through its interrupt callback about ten times a second while it waits. It does not ask while it
/// resolves a host name, so a watching thread ends the process where the callback is not heard for two seconds.
final class StopSwitch: Sendable {
  private let stopRequested = Atomic<Bool>(false)
  private let deadline = Atomic<Int64>(.max)
  /// The moment by which the main thread must have reacted; `.max` = none.
  private let grace = Atomic<Int64>(.max)
  private let closing = Atomic<Bool>(false)

  static let graceNanoseconds: Int64 = 2_000_000_000

  /// A stop was asked for.
  var isStopRequested: Bool { stopRequested.load(ordering: .acquiring) || cav_stop_signal() != 0 }

  /// The deadline of the call under way has passed.
  func isPastDeadline(at now: Int64) -> Bool { now >= deadline.load(ordering: .relaxed) }

  /// What the interrupt callback answers. While the connection is closed a stop no longer counts: TEARDOWN must go out.
  func mustEnd(at now: Int64) -> Bool {
    isPastDeadline(at: now) || (!closing.load(ordering: .relaxed) && isStopRequested)
  }

  func requestStop() { stopRequested.store(true, ordering: .releasing) }

  /// The current call must end by then (CLOCK_MONOTONIC, nanoseconds; `.max` = no limit).
  func setDeadline(_ time: Int64) { deadline.store(time, ordering: .relaxed) }

  /// Closing has begun: one second for it.
  func beginClosing(at now: Int64) {
    closing.store(true, ordering: .relaxed)
    setDeadline(now &+ 1_000_000_000)
  }

  /// Reads commands beside the libav calls for the rest of the process.
  func watch(_ reader: CommandReader, output: LineOutput) {
    let watcher = Watcher(stop: self, reader: reader, output: output)
    var thread = pthread_t()
    let context = Unmanaged.passRetained(watcher).toOpaque()
    let code = pthread_create(&thread, nil, Watcher.body, context)
    if code == 0 { pthread_detach(thread) } else { requestStop() }
  }

  fileprivate func isOverdue(at now: Int64) -> Bool {
    var limit = deadline.load(ordering: .relaxed)
    if isStopRequested {
      if grace.load(ordering: .relaxed) == .max { grace.store(now, ordering: .relaxed) }
      limit = min(limit, grace.load(ordering: .relaxed))
    }
    return limit < .max - Self.graceNanoseconds && now > limit &+ Self.graceNanoseconds
  }
}

/// The thread that reads standard input while the main thread is inside libav.
private final class Watcher: Sendable {
  let stop: StopSwitch
  let reader: CommandReader
  let output: LineOutput

  init(stop: StopSwitch, reader: CommandReader, output: LineOutput) {
    self.stop = stop
    self.reader = reader
    self.output = output
  }

  static let body: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
    if let context { Unmanaged<Watcher>.fromOpaque(context).takeRetainedValue().run() }
    return nil
  }

  private func run() {
    while true {
      if stop.isStopRequested {
        poll(nil, 0, 50)
      } else {
        read()
      }
      if stop.isOverdue(at: monotonicNanoseconds()) {
        let asked = stop.isStopRequested
        output.emit(
          "ended",
          [
            ("reason", asked ? "interrupted" : "timeout"), ("code", .integer(Int64(cav_error_exit()))),
            ("message", "libav did not come back from a blocking call"),
          ])
        _exit(1)
      }
    }
  }

  private func read() {
    switch reader.next(waitingMilliseconds: 100) {
    case .nothing: break
    case .end: stop.requestStop()
    case .line(let bytes):
      guard !bytes.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) else { return }
      do throws(JSONError) {
        let command = try JSONParser.parse(bytes[...], maximumDepth: 8)
        switch command["cmd"]?.string {
        case "close": stop.requestStop()
        case "open": output.emit("bad-command", [("message", "one URL was opened already")])
        default: output.emit("bad-command", [("message", "unknown command")])
        }
      } catch {
        output.emit("bad-command", [("message", .string(error.description))])
      }
    }
  }
}
