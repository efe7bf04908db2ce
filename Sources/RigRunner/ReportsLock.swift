import Glibc
import RigLoop
import RigReport

/// The exclusive right to a reports folder: two runs in one would take each other's evidence away.
///
/// A lock (`flock`) on the file `run.lock` in it, which dies with its process. What the file holds is for people.
// Unchecked: the descriptor is closed once, under the rules of `release`.
public final class ReportsLock: @unchecked Sendable {
  /// Another run has the folder.
  public struct Held: Error, CustomStringConvertible {
    public let description: String
  }

  static let file = "run.lock"
  private var fd: Int32 = -1

  /// - Parameter record: who takes it.
  /// - Throws: `Held`, or `SystemError` where the folder cannot be used.
  public convenience init(_ folder: String, by record: LeaseRecord) throws {
    try self.init(locking: "\(folder)/\(ReportsLock.file)", of: folder, record)
  }

  /// The same for a folder that should be there; `nil`: there is none.
  public convenience init?(existing folder: String, by record: LeaseRecord) throws {
    guard access(folder, X_OK) == 0 else { return nil }
    try self.init(folder, by: record)
  }

  private init(locking file: String, of folder: String, _ record: LeaseRecord) throws {
    let fd = open(file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o644)
    guard fd >= 0 else { throw SystemError("open", on: file) }
    self.fd = fd
    if flock(fd, LOCK_EX | LOCK_NB) == 0 {
      try LeaseFolder.replace(record.text, in: fd, file)
      return
    }
    switch errno {
    case EWOULDBLOCK:
      let holder = LeaseRecord(LeaseFolder.contents(fd))
      let who = holder.map {
        "process \($0.pid) of \($0.user)@\($0.host), a run since \(UTCTime.text($0.since))"
      }
      throw Held(
        // Anybody may have written the record.
        description: TerminalText.line(
          "\(folder) is in use by \(who ?? "another run"), whose reports would be lost: wait for it, or name another "
            + "folder with --reports", columns: 400))
    // A file system without locks, as some network shares: nothing can be told.
    case ENOLCK, ENOSYS, EOPNOTSUPP: return
    default: throw SystemError("flock", on: file)
    }
  }

  /// Gives the folder back.
  public func release() {
    if fd >= 0 { close(fd) }
    fd = -1
  }

  deinit { release() }
}
