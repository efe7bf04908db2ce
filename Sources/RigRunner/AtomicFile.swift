import Glibc
public import RigLoop

/// Files that are whole at any moment: written beside, synced, then renamed into place.
public enum AtomicFile {
  /// - Returns: the error, with the old file untouched.
  public static func write(_ text: String, to path: String) -> SystemError? {
    let beside = "\(path).\(getpid()).tmp"
    let fd = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard fd >= 0 else { return SystemError("open", on: path) }
    var text = text
    let error: SystemError? = text.withUTF8 { bytes in
      var sent = 0
      while sent < bytes.count {
        let n = Glibc.write(fd, bytes.baseAddress?.advanced(by: sent), bytes.count - sent)
        if n >= 0 { sent += n } else if errno != EINTR { return SystemError("write", on: path) }
      }
      return fsync(fd) == 0 || errno == EINVAL ? nil : SystemError("fsync", on: path)
    }
    Glibc.close(fd)
    if let error {
      unlink(beside)
      return error
    }
    guard rename(beside, path) == 0 else {
      let error = SystemError("rename", on: path)
      unlink(beside)
      return error
    }
    return nil
  }
}
