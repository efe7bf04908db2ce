import CRigShims
import Glibc
public import RigModel
import Synchronization

/// One thread that runs Swift tasks, timers and callbacks in a fixed order.
///
/// The same shape serves real time (`EpollLoop`) and virtual time (`VirtualLoop`): only `now` and what happens
/// when nothing is ready differ. Actors bind to it by returning `asUnownedSerialExecutor()`; tasks are started with
/// `spawn`, so that nothing ever leaves the thread. All jobs run first in, first out.
// Unchecked: all state is touched by the loop's thread alone, but for `inbox`, which has a lock, and `owner`.
public class Loop: SerialExecutor, TaskExecutor, @unchecked Sendable {
  private struct Inbox {
    var jobs: [UnownedJob] = []
    var work: [@Sendable () -> Void] = []
  }

  private let inbox = Mutex(Inbox())
  private let owner = Atomic<UInt>(0)
  private var ready: [UnownedJob] = []
  private var batch: [UnownedJob] = []
  private var timers = TimerQueue()

  init() {}

  /// The loop's own time.
  public var now: HostTime { .zero }

  /// Called from any thread: the loop must look at its inbox.
  func wake() {}

  /// Nothing is ready: wait for the outside world or for `deadline`, whichever comes first.
  /// - Throws: `LoopStalled` where nothing can ever become ready.
  func idle(until deadline: HostTime?) throws(LoopStalled) {}

  /// Called with the lateness of each timer that fires.
  func timerFired(late: Duration) {}

  // MARK: Executor

  public final func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if isOnLoop {
      ready.append(job)
    } else {
      inbox.withLock { $0.jobs.append(job) }
      wake()
    }
  }

  public final func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

  /// True on the thread that runs this loop.
  public final var isOnLoop: Bool { owner.load(ordering: .relaxed) == UInt(pthread_self()) }

  public final func checkIsolated() { precondition(isOnLoop, "called off the loop's thread") }
  public final func isIsolatingCurrentContext() -> Bool? { isOnLoop }

  /// Starts a task on this loop. The only way to start one.
  @discardableResult
  public final func spawn<R: Sendable>(
    _ body: @escaping @Sendable () async throws -> R
  ) -> Task<R, any Error> {
    Task(executorPreference: self, operation: body)
  }

  /// Runs `work` on the loop's thread, soon. From any thread.
  public final func post(_ work: @escaping @Sendable () -> Void) {
    inbox.withLock { $0.work.append(work) }
    wake()
  }

  /// Calls `work` on the loop's thread: at once where this is it. Inside of a wait it need not be: a task that came from
  /// another loop, to an actor of this one, runs the closure of its wait over there.
  final func onLoop(_ work: @escaping @Sendable () -> Void) {
    if isOnLoop { work() } else { post(work) }
  }

  /// Runs until `body` has returned, then returns what it gave.
  /// - Throws: what `body` throws, or `LoopStalled` when it waits for something that can never come.
  public final func run<R: Sendable>(_ body: @escaping @Sendable () async throws -> R) throws -> R {
    let outcome = Outcome<R>()
    owner.store(UInt(pthread_self()), ordering: .relaxed)
    defer { owner.store(0, ordering: .relaxed) }
    spawn {
      do { outcome.set(.success(try await body())) } catch { outcome.set(.failure(error)) }
    }
    while true {
      if let result = outcome.value { return try result.get() }
      try turn()
    }
  }

  /// One round: posted work, ready jobs, due timers; waits where none of them was there.
  private func turn() throws(LoopStalled) {
    let (jobs, work) = inbox.withLock { box in
      let taken = (box.jobs, box.work)
      box.jobs.removeAll(keepingCapacity: true)
      box.work.removeAll(keepingCapacity: true)
      return taken
    }
    ready.append(contentsOf: jobs)
    for item in work { item() }
    if !ready.isEmpty {
      swap(&ready, &batch)
      let serial = asUnownedSerialExecutor()
      let task = asUnownedTaskExecutor()
      for job in batch { job.runSynchronously(isolatedTo: serial, taskExecutor: task) }
      batch.removeAll(keepingCapacity: true)
      // Timers get their turn between rounds, so that busy jobs cannot starve them in real time.
      if !ready.isEmpty { fireDueTimers(all: false) }
      return
    }
    if !work.isEmpty { return }
    if fireDueTimers(all: true) { return }
    try idle(until: timers.next)
  }

  /// Fires what is due. In virtual time exactly one at a time, so that its consequences come before the next.
  @discardableResult
  private func fireDueTimers(all: Bool) -> Bool {
    var fired = false
    while let (deadline, resume) = timers.popDue(now) {
      timerFired(late: now - deadline)
      resume(false)
      fired = true
      if !all || firesOneTimerATime { break }
    }
    return fired
  }

  var firesOneTimerATime: Bool { false }

  // MARK: Time

  /// Suspends until `deadline`.
  /// - Throws: `CancellationError` as soon as the task is cancelled.
  public final nonisolated(nonsending) func sleep(until deadline: HostTime) async throws {
    let id = timers.nextID()
    let cancelled = await withTaskCancellationHandler {
      await withUnsafeContinuation { (k: UnsafeContinuation<Bool, Never>) in
        // A cancellation before this point found no timer to remove.
        if Task.isCancelled {
          k.resume(returning: true)
        } else {
          onLoop { self.timers.push(id: id, deadline: deadline) { k.resume(returning: $0) } }
        }
      }
    } onCancel: {
      post { self.timers.remove(id: id)?(true) }
    }
    if cancelled { throw CancellationError() }
  }

  public final nonisolated(nonsending) func sleep(for duration: Duration) async throws {
    try await sleep(until: now + duration)
  }

  /// Calls `work` on the loop at `deadline`. Called on the loop's thread.
  public final func schedule(at deadline: HostTime, _ work: @escaping @Sendable () -> Void) -> TimerID {
    let id = timers.nextID()
    timers.push(id: id, deadline: deadline) { cancelled in if !cancelled { work() } }
    return TimerID(id)
  }

  /// Forgets a timer that has not fired yet. Called on the loop's thread.
  public final func cancel(_ timer: TimerID) { _ = timers.remove(id: timer.value) }
}

public struct TimerID: Hashable, Sendable {
  let value: UInt64
  init(_ value: UInt64) { self.value = value }
}

/// Nothing is ready, nothing is due, and nothing outside can change that: a task waits for ever.
public struct LoopStalled: Error, CustomStringConvertible {
  public let at: HostTime
  public var description: String { "stuck at \(at): a task waits for something that can never come" }
}

/// The result of `run`, handed from the task to the thread that drives it.
private final class Outcome<R: Sendable>: Sendable {
  private let box = Mutex<Result<R, any Error>?>(nil)
  var value: Result<R, any Error>? { box.withLock { $0 } }
  func set(_ result: Result<R, any Error>) { box.withLock { $0 = result } }
}
