import CRigShims
import Glibc
import RigLoop
import RigModel

/// Runs a program in this one's place: with its terminal, its files and its signals.
///
/// The program leads a process group of its own, so that a signal reaches all that it started. Where this process has
/// the terminal, that group gets it: Ctrl-C and Ctrl-Z are the program's.
enum ForegroundCommand {
  struct Ending: Sendable {
    /// Its exit status; 128 and the signal's number where one ended it.
    var status: Int32
    /// SIGINT or SIGQUIT where the terminal ended it.
    var fromTerminal: Int32?

    /// Ends this process as the terminal would have done. A script that waits for it must see that: a shell goes on
    /// after a program that took Ctrl-C and ended by itself.
    func follow() -> Int32 {
      if let fromTerminal {
        rig_unblock_all_signals()
        kill(0, fromTerminal)
      }
      return status
    }
  }

  /// How long what is asked to end may take.
  private static let grace: Duration = .seconds(5)

  /// - Parameters:
  ///   - limit: after that it is asked to end, and 5 s later ended; `nil`: it may take as long as it likes.
  ///   - expired: called when the limit is over.
  static func run(
    _ words: [String], limit: Duration?, expired: @escaping @Sendable () -> Void
  ) throws -> Ending {
    let loop = try EpollLoop()
    let ends = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
    // While SIGTTOU is blocked, the terminal may be taken back from the background.
    let signals = try Signals(loop, ends + [SIGCHLD, SIGCONT, SIGTTOU])
    let job = try Job(loop, words)
    defer { job.takeTerminal() }
    return try loop.run {
      let watcher = loop.spawn {
        while true {
          switch try await signals.next() {
          case SIGCHLD: job.look()
          case SIGCONT: job.resume()
          case let number where ends.contains(number): job.pass(number)
          default: break
          }
        }
      }
      defer { watcher.cancel() }
      let timer = limit.map { limit in
        loop.schedule(at: loop.now + limit) {
          expired()
          job.pass(SIGTERM)
        }
      }
      defer { if let timer { loop.cancel(timer) } }
      return try await job.end()
    }
  }

  /// The program and what it started.
  // Unchecked: touched only on the loop's thread.
  private final class Job: @unchecked Sendable {
    private let loop: EpollLoop
    private let pid: pid_t
    private let pidfd: Int32
    /// The controlling terminal; negative: there is none.
    private let terminal: Int32
    private var status: Int32?
    /// Whoever is asked to end gets no longer than this.
    private var deadline: HostTime?
    private var passed: Set<Int32> = []

    init(_ loop: EpollLoop, _ words: [String]) throws {
      self.loop = loop
      terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
      let isOurs = terminal >= 0 && tcgetpgrp(terminal) == getpgrp()
      pid = try ForegroundCommand.spawn(words, terminal: isOurs ? terminal : nil)
      pidfd = rig_pidfd_open(pid)
      guard pidfd >= 0 else { throw SystemError("pidfd_open") }
      try loop.watch(pidfd)
    }

    deinit {
      loop.unwatch(pidfd)
      close(pidfd)
      if terminal >= 0 { close(terminal) }
    }

    /// Until it has ended, and, where it was asked to, all that it started in its group.
    func end() async throws -> Ending {
      while status == nil {
        look()
        if status == nil { try await loop.readable(pidfd) }
      }
      // The number of the group is no one else's for as long as anybody is in it.
      while let deadline, kill(-pid, 0) == 0 {
        if loop.now >= deadline {
          kill(-pid, SIGKILL)
          break
        }
        try await loop.sleep(for: .milliseconds(20))
      }
      let status = status ?? 0
      takeTerminal()
      let number = status & 0x7F
      let isTyped = hadTerminal && (number == SIGINT || number == SIGQUIT) && !passed.contains(number)
      return Ending(
        status: number == 0 ? (status >> 8) & 0xFF : 128 + number, fromTerminal: isTyped ? number : nil)
    }

    /// Hands a signal on to all of it.
    func pass(_ number: Int32) {
      passed.insert(number)
      if status == nil { kill(-pid, number) }
      guard number == SIGTERM || number == SIGHUP, deadline == nil else { return }
      // Who is stopped hears nothing.
      if status == nil { kill(-pid, SIGCONT) }
      let limit = loop.now + ForegroundCommand.grace
      deadline = limit
      _ = loop.schedule(at: limit) { if self.status == nil { kill(-self.pid, SIGKILL) } }
    }

    /// Whether it has ended, or stopped.
    func look() {
      var word: Int32 = 0
      while status == nil, waitpid(pid, &word, WNOHANG | WUNTRACED) == pid {
        // What the macro WIFSTOPPED says.
        if word & 0xFF == 0x7F { stopped(by: (word >> 8) & 0xFF) } else { status = word }
      }
    }

    /// Ctrl-Z, or a wish for a terminal that another job has: this process stops with it, and the shell has its prompt.
    private func stopped(by number: Int32) {
      guard terminal >= 0 else { return }
      let wantsTerminal = number == SIGTTIN || number == SIGTTOU
      guard wantsTerminal || tcgetpgrp(terminal) == pid else { return }
      takeTerminal()
      // Comes back when the shell goes on with the job, or at once where no shell could.
      kill(0, SIGTSTP)
      if !wantsTerminal || tcgetpgrp(terminal) == getpgrp() { resume() }
    }

    /// Goes on with it, in the foreground if this process is there.
    func resume() {
      guard status == nil else { return }
      if terminal >= 0, tcgetpgrp(terminal) == getpgrp() { tcsetpgrp(terminal, pid) }
      kill(-pid, SIGCONT)
    }

    private var hadTerminal = false

    func takeTerminal() {
      guard terminal >= 0, tcgetpgrp(terminal) == pid else { return }
      hadTerminal = true
      tcsetpgrp(terminal, getpgrp())
    }
  }

  /// - Parameter terminal: becomes that of the program's group.
  private static func spawn(_ words: [String], terminal: Int32?) throws(SystemError) -> pid_t {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let terminal { rig_spawn_takes_terminal(&actions, terminal) }
    var none = sigset_t()
    sigemptyset(&none)
    var all = sigset_t()
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
    var argv = words.map { strdup($0) } + [nil]
    defer { for word in argv { free(word) } }
    var pid: pid_t = 0
    let code = posix_spawnp(&pid, words[0], &actions, &attributes, &argv, rig_environ())
    guard code == 0 else {
      // The child may have had the terminal before it failed.
      if let terminal { tcsetpgrp(terminal, getpgrp()) }
      throw SystemError("posix_spawn", code: code, on: words[0])
    }
    return pid
  }
}
