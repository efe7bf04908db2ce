import CRigShims
import Glibc
public import RigModel

/// The loop of real time: CLOCK_MONOTONIC, and descriptors by epoll.
// Unchecked: see Loop.
public final class EpollLoop: Loop, @unchecked Sendable {
  private let epoll: Int32
  private let wakeup: Int32
  private var watches: [Int32: Watch] = [:]
  private var generation: UInt32 = 0
  /// Timers that fired late, newest last.
  private var stalls: [(at: HostTime, late: Duration)] = []

  private enum Purpose { case reading, writing }

  private final class Watch {
    let generation: UInt32
    private var reader = Waiter()
    private var writer = Waiter()

    private struct Waiter {
      /// There was a sign that nobody has waited for yet; a descriptor begins with one.
      var isDue = true
      var continuation: UnsafeContinuation<Void, Never>?
    }

    init(generation: UInt32) { self.generation = generation }

    /// Uses up a sign, or waits for one.
    func wait(_ purpose: Purpose, _ k: UnsafeContinuation<Void, Never>) {
      change(purpose) { waiter in
        if waiter.isDue {
          waiter.isDue = false
          k.resume()
        } else {
          waiter.continuation = k
        }
      }
    }

    /// A sign: the descriptor may be ready.
    func signal(_ purpose: Purpose) {
      change(purpose) { waiter in
        guard let waiting = waiter.continuation.take() else { return waiter.isDue = true }
        waiting.resume()
      }
    }

    /// Lets who waits go on, without a sign.
    func wake(_ purpose: Purpose) { change(purpose) { $0.continuation.take()?.resume() } }

    private func change(_ purpose: Purpose, _ body: (inout Waiter) -> Void) {
      switch purpose {
      case .reading: body(&reader)
      case .writing: body(&writer)
      }
    }
  }

  /// - Throws: `SystemError` where the process has no descriptors left.
  public init(_: Void = ()) throws(SystemError) {
    // A reader that has gone away is a failed write (EPIPE), also on pipes, where no flag says so per call.
    signal(SIGPIPE, SIG_IGN)
    epoll = rig_epoll_create()
    guard epoll >= 0 else { throw SystemError("epoll_create1") }
    wakeup = rig_eventfd()
    guard wakeup >= 0, rig_epoll_add(epoll, wakeup, rig_epoll_in, UInt64.max) == 0 else {
      throw SystemError("eventfd")
    }
    super.init()
  }

  deinit {
    close(epoll)
    close(wakeup)
  }

  public override var now: HostTime { EpollLoop.monotonicNow }

  /// CLOCK_MONOTONIC, for threads that have no loop.
  public static var monotonicNow: HostTime {
    var t = timespec()
    clock_gettime(CLOCK_MONOTONIC, &t)
    return HostTime(nanoseconds: Int64(t.tv_sec) * 1_000_000_000 + Int64(t.tv_nsec))
  }

  override func wake() { rig_eventfd_signal(wakeup) }

  override func idle(until deadline: HostTime?) throws(LoopStalled) {
    let wait = deadline.map { max(0, ($0 - now).nanoseconds) } ?? -1
    withUnsafeTemporaryAllocation(of: rig_epoll_ready.self, capacity: 64) { buffer in
      guard let base = buffer.baseAddress else { return }
      let count = rig_epoll_wait(epoll, base, 64, wait)
      for i in 0..<max(0, Int(count)) { deliver(base[i]) }
    }
  }

  private func deliver(_ ready: rig_epoll_ready) {
    if ready.token == UInt64.max {
      rig_eventfd_drain(wakeup)
      return
    }
    // The generation tells a descriptor from an older one with the same number.
    let fd = Int32(truncatingIfNeeded: ready.token)
    guard let watch = watches[fd], watch.generation == UInt32(truncatingIfNeeded: ready.token >> 32) else { return }
    let broken = ready.events & (rig_epoll_error | rig_epoll_hangup) != 0
    if broken || ready.events & rig_epoll_in != 0 { watch.signal(.reading) }
    if broken || ready.events & rig_epoll_out != 0 { watch.signal(.writing) }
  }

  // MARK: Descriptors

  /// Starts to watch a non-blocking descriptor (edge-triggered: read or write until EAGAIN, then wait).
  public func watch(_ fd: Int32) throws(SystemError) {
    generation &+= 1
    watches[fd] = Watch(generation: generation)
    let token = UInt64(generation) << 32 | UInt64(UInt32(bitPattern: fd))
    guard rig_epoll_add(epoll, fd, rig_epoll_in | rig_epoll_out | rig_epoll_edge, token) == 0 else {
      watches[fd] = nil
      throw SystemError("epoll_ctl")
    }
  }

  /// Stops watching, before the descriptor is closed; who waits for it goes on and finds it closed.
  public func unwatch(_ fd: Int32) {
    guard let watch = watches.removeValue(forKey: fd) else { return }
    _ = rig_epoll_remove(epoll, fd)
    watch.wake(.reading)
    watch.wake(.writing)
  }

  /// Waits until `fd` may be readable, closed, or no longer watched. One reader at a time.
  public nonisolated(nonsending) func readable(_ fd: Int32) async throws { try await wait(fd, .reading) }

  /// Waits until `fd` may be writable, closed, or no longer watched. One writer at a time.
  public nonisolated(nonsending) func writable(_ fd: Int32) async throws { try await wait(fd, .writing) }

  private nonisolated(nonsending) func wait(_ fd: Int32, _ purpose: Purpose) async throws {
    guard let watch = watches[fd] else { throw SystemError("wait", code: EBADF) }
    let generation = watch.generation
    await withTaskCancellationHandler {
      // The look and the wait are one step: the call to wait may let other jobs run before its closure does.
      await withUnsafeContinuation { (k: UnsafeContinuation<Void, Never>) in
        let isCancelled = Task.isCancelled
        onLoop {
          guard let watch = self.watches[fd], watch.generation == generation, !isCancelled else { return k.resume() }
          watch.wait(purpose, k)
        }
      }
    } onCancel: {
      post {
        guard let watch = self.watches[fd], watch.generation == generation else { return }
        watch.wake(.reading)
        watch.wake(.writing)
      }
    }
    try Task.checkCancellation()
  }

  // MARK: Lag

  override func timerFired(late: Duration) {
    guard late > .milliseconds(50) else { return }
    if stalls.count >= 64 { stalls.removeFirst() }
    stalls.append((now, late))
  }

  /// The worst lateness above 50 ms seen since `start`: what was judged meanwhile may be in doubt.
  public func worstLag(since start: HostTime) -> Duration? {
    stalls.filter { $0.at >= start }.map(\.late).max()
  }
}
