import Glibc
import RigLoop

/// A new file that only its owner can read.
enum PrivateFile {
  static func write(_ text: String, to path: String) throws(SystemError) {
    let fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard fd >= 0 else { throw SystemError("open", on: path) }
    defer { close(fd) }
    let bytes = Array(text.utf8)
    guard Glibc.write(fd, bytes, bytes.count) == bytes.count else { throw SystemError("write", on: path) }
  }
}
