import Glibc

/// Small files in which the kernel tells of itself.
enum SystemFile {
  /// The text without white space at its end; `nil` where it cannot be read.
  static func read(_ path: String) -> String? {
    let fd = open(path, O_RDONLY | O_CLOEXEC)
    guard fd >= 0 else { return nil }
    defer { close(fd) }
    var buffer = [UInt8](repeating: 0, count: 16_384)
    let n = Glibc.read(fd, &buffer, buffer.count)
    guard n >= 0 else { return nil }
    var text = buffer[..<n]
    while let last = text.last, last <= 0x20 { text.removeLast() }
    return String(decoding: text, as: UTF8.self)
  }

  /// Names in a folder, sorted; empty where it cannot be read.
  static func list(_ path: String) -> [String] {
    guard let directory = opendir(path) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }

  /// A folder may be entered, which counts as executable.
  static func isProgram(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
  }

  /// The kernel's class of a character device, `tty` or `mem`; `nil` where it has none.
  static func deviceClass(_ number: dev_t) -> String? {
    // As gnu_dev_major and gnu_dev_minor take it apart.
    let major = (number >> 8) & 0xFFF | (number >> 32) & ~0xFFF
    let minor = number & 0xFF | (number >> 12) & ~0xFF
    // The ends of pseudo-terminals do not stand in /sys.
    if 136...143 ~= major { return "tty" }
    var target = [CChar](repeating: 0, count: 4_096)
    let n = readlink("/sys/dev/char/\(major):\(minor)/subsystem", &target, target.count - 1)
    guard n > 0 else { return nil }
    return String(decoding: target[..<n].map { UInt8(bitPattern: $0) }, as: UTF8.self).split(separator: "/").last
      .map(String.init)
  }

  /// The programs' folders of `PATH`, and those of administrators.
  static func program(_ name: String) -> String? {
    let path = getenv("PATH").map { String(cString: $0) } ?? ""
    return (path.split(separator: ":").map(String.init) + ["/usr/sbin", "/sbin"])
      .map { "\($0)/\(name)" }.first(where: isProgram)
  }
}
