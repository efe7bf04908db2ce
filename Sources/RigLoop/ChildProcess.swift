import CRigShims
import Glibc
import RigModel
import Synchronization

/// A child process with piped stdin and stdout; its stderr goes where the caller says.
// Unchecked: touched only on the loop's thread.
public final class ChildProcess: @unchecked Sendable {
  public enum Exit: Hashable, Sendable, CustomStringConvertible {
    case code(Int32)
    case signal(Int32)
    public var description: String {
      switch self {
      case .code(let c): "exit status \(c)"
      case .signal(let s): "killed by signal \(s) (\(String(cString: strsignal(s))))"
      }
    }
  }

  private let loop: EpollLoop
  public let pid: Int32
  /// The child's stdout is read from it, its stdin written to it. Closing it ends a well-behaved child.
  public let io: ByteStream
  private let pidfd: Int32
  private var exit: Exit?

  /// Those of this process that are not reaped yet; each leads a process group.
  private static let running = Mutex<Set<Int32>>([])
  /// What asks the kernel for a signal at the end of the parent, and becomes the program.
  private static let wrapper: String? = ["/usr/bin/setpriv", "/bin/setpriv"].first { (path: String) in
    access(path, X_OK) == 0
  }

  /// Ends all children and what they started, of a process that is about to end: SIGTERM, and 200 ms later SIGKILL.
  /// Blocks meanwhile.
  public static func endAll() {
    running.withLock { for pid in $0 { Glibc.kill(-pid, SIGTERM) } }
    usleep(200_000)
    running.withLock { for pid in $0 { Glibc.kill(-pid, SIGKILL) } }
  }

  /// - Parameters:
  ///   - stderr: a descriptor for the child's stderr, taken over; `nil`: this process's own.
  ///   - endsWithParent: the child gets SIGTERM when the thread that starts it ends, be it by `kill -9` of the process.
  ///     Where there is no `setpriv`, it does not.
  /// - Throws: `SystemError` where the program cannot be started.
  public init(
    _ loop: EpollLoop, program: String, arguments: [String], stderr: Int32? = nil,
    environment: [String: String] = [:], endsWithParent: Bool = false
  ) throws(SystemError) {
    self.loop = loop
    var words = [program] + arguments
    // A program that cannot be started is named by its own error.
    if endsWithParent, access(program, X_OK) == 0, let wrapper = ChildProcess.wrapper {
      words = [wrapper, "--pdeathsig", "TERM", "--"] + words
    }
    var toChild: [Int32] = [-1, -1]
    var fromChild: [Int32] = [-1, -1]
    guard rig_pipe(&toChild) == 0, rig_pipe(&fromChild) == 0 else { throw SystemError("pipe2") }
    var argv = words.map { strdup($0) } + [nil]
    var envp = ChildProcess.environment(adding: environment).map { strdup($0) } + [nil]
    defer { for p in argv + envp { free(p) } }
    var pid: pid_t = 0
    let rc = rig_spawn(&pid, words[0], &argv, &envp, toChild[0], fromChild[1], stderr ?? -1)
    close(toChild[0])
    close(fromChild[1])
    if let stderr { close(stderr) }
    guard rc == 0 else {
      close(toChild[1])
      close(fromChild[0])
      throw SystemError("posix_spawn", code: rc, on: program)
    }
    self.pid = pid
    ChildProcess.running.withLock { _ = $0.insert(pid) }
    io = try ByteStream(loop, input: fromChild[0], output: toChild[1])
    pidfd = rig_pidfd_open(pid)
    guard pidfd >= 0 else {
      Glibc.kill(pid, SIGKILL)
      throw SystemError("pidfd_open")
    }
    try loop.watch(pidfd)
  }

  private static func environment(adding extra: [String: String]) -> [String] {
    var list: [String] = []
    var at = rig_environ()
    while let entry = at?.pointee {
      let text = String(cString: entry)
      if !extra.keys.contains(where: { text.hasPrefix("\($0)=") }) { list.append(text) }
      at = at?.successor()
    }
    return list + extra.map { "\($0)=\($1)" }.sorted()
  }

  /// Waits for the end and reaps the child.
  public nonisolated(nonsending) func waitForExit() async throws -> Exit {
    while true {
      if !isRunning, let exit { return exit }
      try await loop.readable(pidfd)
    }
  }

  /// False once it has ended; reaps it then.
  public var isRunning: Bool {
    var code: Int32 = 0
    var signal: Int32 = 0
    if exit == nil, reap(&code, &signal, block: false) {
      exit = signal != 0 ? .signal(signal) : .code(code)
      loop.unwatch(pidfd)
    }
    return exit == nil
  }

  /// Under the lock: nobody signals a group whose number is free again.
  private func reap(_ code: inout Int32, _ signal: inout Int32, block: Bool) -> Bool {
    ChildProcess.running.withLock {
      guard rig_wait_status(pid, &code, &signal, block ? 1 : 0) != 0 else { return false }
      $0.remove(pid)
      return true
    }
  }

  public func signal(_ number: Int32) { if exit == nil { Glibc.kill(pid, number) } }

  /// Signals the child and what it started, which share a process group of their own. Only until the child is reaped:
  /// then the number of its group may be another's.
  public func signalGroup(_ number: Int32) { if exit == nil { Glibc.kill(-pid, number) } }

  /// Ends the child: closes its stdin, then SIGTERM, then SIGKILL, each after `patience`.
  public nonisolated(nonsending) func end(patience: Duration = .seconds(2)) async throws -> Exit {
    io.close()
    let term = loop.schedule(at: loop.now + patience) { self.signal(SIGTERM) }
    let kill = loop.schedule(at: loop.now + patience + patience) { self.signal(SIGKILL) }
    defer {
      loop.cancel(term)
      loop.cancel(kill)
    }
    return try await waitForExit()
  }

  /// Ends the child as `end` does, and what it started with it.
  /// - Returns: `nil` where the task was cancelled: then all of them are killed, and nobody is waited for.
  @discardableResult
  public nonisolated(nonsending) func endGroup(patience: Duration = .seconds(2)) async -> Exit? {
    io.close()
    let term = loop.schedule(at: loop.now + patience) { self.signal(SIGTERM) }
    let kill = loop.schedule(at: loop.now + patience + patience) { self.signal(SIGKILL) }
    defer {
      loop.cancel(term)
      loop.cancel(kill)
    }
    do {
      while exit == nil, !hasEnded { try await loop.readable(pidfd) }
      signalGroup(SIGKILL)
      return try await waitForExit()
    } catch {
      signalGroup(SIGKILL)
      return nil
    }
  }

  /// It has ended, and is perhaps not reaped yet.
  private var hasEnded: Bool {
    var state = pollfd(fd: pidfd, events: Int16(POLLIN), revents: 0)
    return poll(&state, 1, 0) > 0
  }

  deinit {
    if exit == nil {
      // Nobody waited: do not leave it running, nor a zombie behind.
      signalGroup(SIGKILL)
      var code: Int32 = 0
      var signal: Int32 = 0
      _ = reap(&code, &signal, block: true)
      loop.unwatch(pidfd)
    }
    close(pidfd)
  }
}
