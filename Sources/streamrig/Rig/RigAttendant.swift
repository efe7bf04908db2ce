import Glibc
import RigDevice
import RigLoop
import RigModel
import RigRunner

/// The person at the terminal, who can be asked to do something to a device: one question at a time.
// Unchecked: touched only on the loop's thread.
final class RigAttendant: @unchecked Sendable {
  /// How long a person has.
  private static let limit: Duration = .seconds(120)
  /// How often it is looked whether there is an answer.
  private static let pause: Duration = .milliseconds(100)

  private var isAsked = false

  /// Whether somebody sits at a terminal that this process may read from.
  static var isThere: Bool {
    guard isatty(0) == 1, isatty(2) == 1 else { return false }
    // A job in the background would be stopped when it reads.
    let foreground = tcgetpgrp(0)
    return foreground < 0 || foreground == getpgrp()
  }

  /// Asks, and waits for a line. The loop goes on meanwhile: signals and other devices are served.
  /// - Throws: `DriverError` where nobody answers in time, `RunInterrupted`.
  func ask(_ loop: EpollLoop, _ question: String, isStopped: @Sendable () -> Bool) async throws {
    while isAsked {
      if isStopped() { throw RunInterrupted() }
      try await loop.sleep(for: RigAttendant.pause)
    }
    isAsked = true
    defer { isAsked = false }
    // What was typed before is no answer.
    tcflush(0, TCIFLUSH)
    Output.complain("\(question) (\(RigAttendant.limit.text))")
    let deadline = loop.now + RigAttendant.limit
    while loop.now < deadline {
      if isStopped() { throw RunInterrupted() }
      if RigAttendant.hasInput {
        // A terminal gives a line once it is whole.
        var line = [UInt8](repeating: 0, count: 256)
        guard read(0, &line, line.count) > 0 else { throw DriverError("nobody answered: the terminal is gone") }
        return
      }
      try await loop.sleep(for: RigAttendant.pause)
    }
    throw DriverError("nobody answered in \(RigAttendant.limit.text)")
  }

  private static var hasInput: Bool {
    var input = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
    return poll(&input, 1, 0) > 0
  }
}
