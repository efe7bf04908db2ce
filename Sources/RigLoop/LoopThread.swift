import Glibc

/// A second thread with a loop of its own; it runs from `init` until `stop`.
// Unchecked: immutable but for `thread`, which only `stop` touches.
public final class LoopThread: @unchecked Sendable {
  public let loop: EpollLoop
  private var thread = pthread_t()
  private let end: @Sendable () -> Void

  /// - Throws: `SystemError` where the loop or the thread cannot be made.
  public init(_: Void = ()) throws(SystemError) {
    let loop = try EpollLoop()
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    self.loop = loop
    end = { continuation.finish() }
    let start = Unmanaged.passRetained(
      Start {
        _ = try? loop.run { for await _ in stream {} }
      })
    let rc = pthread_create(
      &thread, nil,
      { raw in
        guard let raw else { return nil }
        Unmanaged<Start>.fromOpaque(raw).takeRetainedValue().body()
        return nil
      }, start.toOpaque())
    guard rc == 0 else {
      start.release()
      throw SystemError("pthread_create", code: rc)
    }
  }

  /// Ends the loop when its present work is done, and waits for the thread.
  public func stop() {
    end()
    pthread_join(thread, nil)
  }

  private final class Start {
    let body: () -> Void
    init(_ body: @escaping () -> Void) { self.body = body }
  }
}
