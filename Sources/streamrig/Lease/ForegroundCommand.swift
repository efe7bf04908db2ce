import CRigShims
import Glibc
import RigLoop
import RigModel

/// Runs a program in this one's place: with its terminal, its files and its signals.
enum ForegroundCommand {
  /// - Parameters:
  ///   - limit: after that it is asked to end, and 5 s later ended; `nil`: it may take as long as it likes.
  ///   - expired: called when the limit is over.
  /// - Returns: its exit status; 128 and the signal's number where one ended it.
  static func run(
    _ words: [String], limit: Duration?, expired: @escaping @Sendable () -> Void
  ) throws -> Int32 {
    let loop = try EpollLoop()
    // Ctrl-C reaches the program as well, by the terminal: what it makes of that is its own affair.
    let signals = try Signals(loop, [SIGINT, SIGTERM, SIGHUP])
    let pid = try spawn(words)
    let pidfd = rig_pidfd_open(pid)
    guard pidfd >= 0 else { throw SystemError("pidfd_open") }
    defer { close(pidfd) }
    return try loop.run {
      try loop.watch(pidfd)
      defer { loop.unwatch(pidfd) }
      let watcher = loop.spawn {
        while true {
          let number = try await signals.next()
          if number != SIGINT { kill(pid, number) }
        }
      }
      defer { watcher.cancel() }
      var timers: [TimerID] = []
      if let limit {
        timers = [
          loop.schedule(at: loop.now + limit) {
            expired()
            kill(pid, SIGTERM)
          }, loop.schedule(at: loop.now + limit + .seconds(5)) { kill(pid, SIGKILL) },
        ]
      }
      defer { for timer in timers { loop.cancel(timer) } }
      while true {
        var code: Int32 = 0
        var signal: Int32 = 0
        if rig_wait_status(pid, &code, &signal, 0) != 0 { return signal != 0 ? 128 + signal : code }
        try await loop.readable(pidfd)
      }
    }
  }

  private static func spawn(_ words: [String]) throws(SystemError) -> pid_t {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    var all = sigset_t()
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var argv = words.map { strdup($0) } + [nil]
    defer { for word in argv { free(word) } }
    var pid: pid_t = 0
    let code = posix_spawnp(&pid, words[0], nil, &attributes, &argv, rig_environ())
    guard code == 0 else { throw SystemError("posix_spawn", code: code, on: words[0]) }
    return pid
  }
}
