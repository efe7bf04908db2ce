import CRigShims
import Glibc

/// Signals as readable events instead of handlers.
// Unchecked: touched only on the loop's thread.
public final class Signals: @unchecked Sendable {
  private let loop: EpollLoop
  private let fd: Int32

  /// Blocks `numbers` for this thread, and for those it starts later.
  public init(_ loop: EpollLoop, _ numbers: [Int32]) throws(SystemError) {
    self.loop = loop
    fd = rig_signalfd(numbers, Int32(numbers.count))
    guard fd >= 0 else { throw SystemError("signalfd") }
    try loop.watch(fd)
  }

  /// The next signal's number.
  public nonisolated(nonsending) func next() async throws -> Int32 {
    while true {
      let number = rig_signalfd_next(fd)
      if number != 0 { return number }
      try await loop.readable(fd)
    }
  }

  deinit {
    loop.unwatch(fd)
    close(fd)
  }
}
