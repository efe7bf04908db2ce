import Glibc
import RigLoop

/// A file that only grows, through a buffer; the first error is kept and ends the writing.
struct AppendFile: ~Copyable {
  private let fd: Int32
  private let path: String
  private var buffer: [UInt8] = []
  private(set) var error: SystemError?

  /// Makes the file anew, or goes on where it ends: on a line of its own, even if the last one was cut.
  init(_ path: String, continues: Bool = false) throws(SystemError) {
    self.path = path
    fd = open(path, O_RDWR | O_CREAT | (continues ? 0 : O_TRUNC) | O_APPEND | O_CLOEXEC, 0o644)
    guard fd >= 0 else { throw SystemError("open", on: path) }
    let end = continues ? lseek(fd, 0, SEEK_END) : 0
    var last: UInt8 = 0x0A
    if end > 0, pread(fd, &last, 1, end - 1) == 1, last != 0x0A { buffer = [0x0A] }
  }

  mutating func append(_ text: String) {
    buffer.append(contentsOf: text.utf8)
    if buffer.count > 64 * 1024 { flush() }
  }

  mutating func flush() {
    var sent = 0
    while sent < buffer.count, error == nil {
      let n = buffer.withUnsafeBytes { Glibc.write(fd, $0.baseAddress?.advanced(by: sent), $0.count - sent) }
      if n >= 0 { sent += n } else if errno != EINTR { error = SystemError("write", on: path) }
    }
    buffer.removeAll(keepingCapacity: true)
  }

  mutating func sync() {
    flush()
    if error == nil, fdatasync(fd) != 0, errno != EINVAL { error = SystemError("fdatasync", on: path) }
  }

  deinit { Glibc.close(fd) }
}
