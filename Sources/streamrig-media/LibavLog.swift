import CAV
import RigModel
import Synchronization

/// libav's log as `log` lines: warnings and worse, at most `linesPerSecond`; what was held back is counted.
final class LibavLog: Sendable {
  private static let linesPerSecond = 20

  private struct State {
    var windowStart: Int64 = 0
    var lines = 0
    var suppressed = 0
    var secret: String?
  }

  private let output: LineOutput
  private let state = Mutex(State())

  /// Takes over libav's log for the rest of the process; libav keeps the object alive.
  static func install(writingTo output: LineOutput) -> LibavLog {
    let log = LibavLog(output: output)
    let context = Unmanaged.passRetained(log).toOpaque()
    cav_set_log(
      { context, level, source, text in
        guard let context, let source, let text else { return }
        let log = Unmanaged<LibavLog>.fromOpaque(context).takeUnretainedValue()
        log.write(level: level, source: String(cString: source), text: String(cString: text))
      }, context, Int32(AV_LOG_WARNING))
    return log
  }

  private init(output: LineOutput) { self.output = output }

  /// From now on this text (a user name and password) is shown as `***`.
  func hide(_ secret: String) { state.withLock { $0.secret = secret } }

  private func write(level: Int32, source: String, text: String) {
    let text = text.split(whereSeparator: \.isNewline).joined(separator: " ")
    guard !text.isEmpty else { return }
    let now = monotonicNanoseconds()
    let (admitted, suppressed, secret) = state.withLock { state -> (Bool, Int, String?) in
      var suppressed = 0
      if now - state.windowStart >= 1_000_000_000 {
        suppressed = state.suppressed
        state.windowStart = now
        state.lines = 0
        state.suppressed = 0
      }
      state.lines += 1
      let admitted = state.lines <= Self.linesPerSecond
      if !admitted { state.suppressed += 1 }
      return (admitted, suppressed, state.secret)
    }
    if suppressed > 0 { output.emit("log", at: now, [("suppressed", .count(suppressed))]) }
    guard admitted else { return }
    output.emit(
      "log", at: now,
      [
        ("level", .string(Self.name(of: level))), ("source", .string(source)),
        ("message", .string(secret.map { text.replacing($0, with: "***") } ?? text)),
      ])
  }

  private static func name(of level: Int32) -> String {
    switch level {
    case ...AV_LOG_FATAL: "fatal"
    case ...AV_LOG_ERROR: "error"
    case ...AV_LOG_WARNING: "warning"
    default: "info"
    }
  }
}
