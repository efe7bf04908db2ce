import Glibc
import RigLoop

/// The folder of the leases: the same for all users of a machine.
///
/// `STREAMRIG_LEASES`, or `streamrig` under `/run/lock`, or under `/tmp` where there is no such folder. Everybody may
/// make files in it, and the sticky bit lets only their owners take them away.
public enum LeaseFolder {
  /// Why the folder cannot be used.
  public struct Unusable: Error, CustomStringConvertible {
    public let description: String
  }

  public static var path: String {
    if let given = getenv("STREAMRIG_LEASES"), given.pointee != 0 { return String(cString: given) }
    return path(locks: "/run/lock")
  }

  /// What this user may do must not decide: two users with two folders would both have the device.
  static func path(locks: String) -> String {
    var status = stat()
    let isThere = stat(locks, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    return isThere ? "\(locks)/streamrig" : "/tmp/streamrig-leases"
  }

  /// Makes the folder where it is missing.
  /// - Throws: `Unusable` where it cannot be made, or this user may not write there.
  public static func make() throws(Unusable) -> String {
    let folder = path
    do { try make(folder) } catch {
      throw Unusable(
        description:
          "no lease can be taken: \(error); have it made by who may (mode 1777), or name another folder, the "
          + "same for all users of this machine, in STREAMRIG_LEASES")
    }
    return folder
  }

  private static func make(_ folder: String) throws(SystemError) {
    if mkdir(folder, 0o700) == 0 {
      // The umask does not count: others must be able to leave their leases here.
      guard chmod(folder, 0o1777) == 0 else { throw SystemError("chmod", on: folder) }
    } else if errno != EEXIST {
      throw SystemError("mkdir", on: folder)
    }
    guard access(folder, W_OK | X_OK) == 0 else { throw SystemError("access", on: folder) }
  }

  /// Opens a file of the folder for reading and writing, and makes it where it is missing.
  ///
  /// A file of another user is opened without `O_CREAT`: in a folder that everybody may write to, the kernel refuses
  /// that (`fs.protected_regular`). A symbolic link is not followed.
  static func open(_ file: String) throws(SystemError) -> Int32 {
    let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
    for _ in 0..<3 {
      let there = Glibc.open(file, flags)
      if there >= 0 { return try checked(there, file) }
      guard errno == ENOENT else { throw SystemError("open", on: file) }
      let fresh = Glibc.open(file, flags | O_CREAT | O_EXCL, 0o600)
      if fresh >= 0 {
        guard fchmod(fresh, 0o666) == 0 else {
          let error = SystemError("fchmod", on: file)
          close(fresh)
          throw error
        }
        return fresh
      }
      // Somebody else was faster.
      guard errno == EEXIST else { throw SystemError("open", on: file) }
    }
    throw SystemError("open", code: ENOENT, on: file)
  }

  private static func checked(_ fd: Int32, _ file: String) throws(SystemError) -> Int32 {
    var status = stat()
    if fstat(fd, &status) == 0, status.st_mode & S_IFMT == S_IFREG { return fd }
    close(fd)
    throw SystemError("open", code: EINVAL, on: "\(file), which is no file,")
  }

  /// Opens for reading; `nil`: there is no such file.
  static func openForReading(_ file: String) throws(SystemError) -> Int32? {
    let fd = Glibc.open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    if fd >= 0 { return try checked(fd, file) }
    if errno == ENOENT { return nil }
    throw SystemError("open", on: file)
  }

  /// The first bytes of an open file.
  static func contents(_ fd: Int32) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: LeaseRecord.maximumBytes + 1)
    let n = pread(fd, &bytes, bytes.count, 0)
    return Array(bytes.prefix(max(0, n)))
  }

  /// Replaces what an open file holds, so that there is never less than one of the two texts: whoever is killed half-way,
  /// or finds the disk full, leaves the old one or the new one, perhaps with line feeds behind it.
  static func replace(_ text: String, in fd: Int32, _ file: String) throws(SystemError) {
    let new = Array(text.utf8)
    let old = contents(fd)
    // In one piece, over all of the old text: nothing of that follows the new one.
    let padded = new + [UInt8](repeating: 0x0A, count: max(0, old.count - new.count))
    do { try write(padded, fd, file) } catch {
      // What was written took the place of old bytes, which therefore fit.
      try write(old, fd, file)
      guard ftruncate(fd, off_t(old.count)) == 0 else { throw SystemError("ftruncate", on: file) }
      throw error
    }
    guard ftruncate(fd, off_t(new.count)) == 0 else { throw SystemError("ftruncate", on: file) }
  }

  private static func write(_ bytes: [UInt8], _ fd: Int32, _ file: String) throws(SystemError) {
    var done = 0
    while done < bytes.count {
      let n = bytes[done...].withUnsafeBytes { pwrite(fd, $0.baseAddress, $0.count, off_t(done)) }
      if n > 0 {
        done += n
      } else if errno != EINTR {
        throw SystemError("write", on: file)
      }
    }
  }
}
