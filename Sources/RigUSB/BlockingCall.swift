internal import Glibc
internal import RigLoop
internal import RigModel

/// A call that may block for long, or for ever, on a thread of its own: the loop waits for it, but not longer than a
/// limit.
enum BlockingCall {
  /// - Parameter late: takes the result of a call that returned after its limit, on that call's thread.
  /// - Returns: `nil` where the limit passed first.
  static nonisolated(nonsending) func run<R: Sendable>(
    _ loop: Loop, limit: Duration, _ body: @escaping @Sendable () -> R,
    late: @escaping @Sendable (R) -> Void = { _ in }
  ) async -> R? {
    await withUnsafeContinuation { (k: UnsafeContinuation<R?, Never>) in
      let waiter = Waiter(k)
      let timer = loop.schedule(at: loop.now + limit) { waiter.resume(nil) }
      let started = start {
        let result = body()
        loop.post {
          loop.cancel(timer)
          if !waiter.resume(result) { _ = start { late(result) } }
        }
      }
      if !started {
        loop.cancel(timer)
        waiter.resume(nil)
      }
    }
  }

  /// Runs `body` on a new thread.
  /// - Returns: false where none could be made.
  private static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    let work = Unmanaged.passRetained(Work(body))
    var thread = pthread_t()
    let code = pthread_create(
      &thread, &attributes,
      { raw in
        guard let raw else { return nil }
        Unmanaged<Work>.fromOpaque(raw).takeRetainedValue().body()
        return nil
      }, work.toOpaque())
    if code != 0 { work.release() }
    return code == 0
  }

  private final class Work: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  // Unchecked: touched only on the loop's thread.
  private final class Waiter<R: Sendable>: @unchecked Sendable {
    private var continuation: UnsafeContinuation<R?, Never>?
    init(_ continuation: UnsafeContinuation<R?, Never>) { self.continuation = continuation }

    @discardableResult
    func resume(_ result: R?) -> Bool {
      guard let waiting = continuation else { return false }
      continuation = nil
      waiting.resume(returning: result)
      return true
    }
  }
}
