import Glibc

/// Why a file could not be read or written.
struct FileFailure: Error {
  let message: String
  init(_ doing: String, _ path: String, _ code: Int32 = errno) {
    message = "\(doing) \(path): \(strerror(code).map { String(cString: $0) } ?? "error \(code)")"
  }
}

enum FileAccess {
  private static let maximumSize = 1 << 30

  /// Puts a whole file in place at once: written beside, synced, renamed. Of writers at the same time the last wins,
  /// and no reader ever sees half a file.
  static func replace(_ path: String, with bytes: [UInt8]) throws(FileFailure) {
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
    let temporary = "\(folder)/.\(name).\(getpid()).tmp"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o644)
    guard descriptor >= 0 else { throw FileFailure("create", temporary) }
    var failure: FileFailure?
    if !bytes.withUnsafeBytes({ FileDescriptorWriter(descriptor: descriptor).write($0) }) || fsync(descriptor) != 0 {
      failure = FileFailure("write", temporary)
    }
    close(descriptor)
    if failure == nil, rename(temporary, path) != 0 { failure = FileFailure("rename to", path) }
    if let failure {
      unlink(temporary)
      throw failure
    }
    // The name itself is on the disk only with its folder.
    let directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if directory >= 0 {
      fsync(directory)
      close(directory)
    }
  }

  /// A whole regular file of at most 1 GiB.
  static func read(_ path: String) throws(FileFailure) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw FileFailure("open", path) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw FileFailure("read", path) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw FileFailure("read", path, EINVAL) }
    guard status.st_size <= maximumSize else { throw FileFailure("read", path, EFBIG) }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    var filled = 0
    while filled < bytes.count {
      let count = bytes.withUnsafeMutableBytes {
        Glibc.read(descriptor, $0.baseAddress.map { $0 + filled }, $0.count - filled)
      }
      if count > 0 {
        filled += count
      } else if count == 0 {
        break
      } else if errno != EINTR {
        throw FileFailure("read", path)
      }
    }
    return Array(bytes[..<filled])
  }
}
