import Glibc
public import RigLoop

/// The folder of the leases: the same for all users of a machine.
///
/// `STREAMRIG_LEASES`, or `streamrig` under `/run/lock`, or under `/tmp` where there is no such folder. Everybody may
/// make files in it, and the sticky bit lets only their owners take them away.
public enum LeaseFolder {
  public static var path: String {
    if let given = getenv("STREAMRIG_LEASES"), given.pointee != 0 { return String(cString: given) }
    return access("/run/lock", W_OK) == 0 ? "/run/lock/streamrig" : "/tmp/streamrig-leases"
  }

  /// Makes the folder where it is missing.
  /// - Throws: `SystemError` where it cannot be used.
  public static func make() throws(SystemError) -> String {
    let folder = path
    if mkdir(folder, 0o700) == 0 {
      // The umask does not count: others must be able to leave their leases here.
      guard chmod(folder, 0o1777) == 0 else { throw SystemError("chmod", on: folder) }
    } else if errno != EEXIST {
      throw SystemError("mkdir", on: folder)
    }
    return folder
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

  /// Replaces what an open file holds.
  static func replace(_ text: String, in fd: Int32, _ file: String) throws(SystemError) {
    guard ftruncate(fd, 0) == 0 else { throw SystemError("ftruncate", on: file) }
    var bytes = Array(text.utf8)[...]
    var offset: off_t = 0
    while !bytes.isEmpty {
      let n = bytes.withUnsafeBytes { pwrite(fd, $0.baseAddress, $0.count, offset) }
      if n > 0 {
        bytes = bytes.dropFirst(n)
        offset += off_t(n)
      } else if errno != EINTR {
        throw SystemError("write", on: file)
      }
    }
  }
}
