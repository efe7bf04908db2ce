import Glibc
import Synchronization

/// Lines from standard input, of at most 64 KiB each.
final class CommandReader: Sendable {
  enum Input: Sendable, Equatable {
    case line([UInt8])
    /// The end of input, or a line that is too long to be a command.
    case end
    /// Nothing came in the time given, or a signal did.
    case nothing
  }

  private static let maximumLine = 65_536

  private struct State {
    var buffer: [UInt8] = []
    var ended = false
  }
  private let state = Mutex(State())

  /// Waits at most `milliseconds` for the next line.
  func next(waitingMilliseconds milliseconds: Int32) -> Input {
    state.withLock { state in
      if let line = Self.takeLine(&state) { return .line(line) }
      if state.ended { return .end }
      var descriptor = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
      guard poll(&descriptor, 1, milliseconds) > 0 else { return .nothing }
      var chunk = [UInt8](repeating: 0, count: 4096)
      let count = read(0, &chunk, chunk.count)
      if count < 0 && (errno == EINTR || errno == EAGAIN) { return .nothing }
      if count <= 0 || state.buffer.count + count > Self.maximumLine {
        state.ended = true
        return .end
      }
      state.buffer += chunk[..<count]
      return Self.takeLine(&state).map { .line($0) } ?? .nothing
    }
  }

  private static func takeLine(_ state: inout State) -> [UInt8]? {
    guard let end = state.buffer.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    defer { state.buffer.removeFirst(end + 1) }
    return Array(state.buffer[..<end])
  }
}
