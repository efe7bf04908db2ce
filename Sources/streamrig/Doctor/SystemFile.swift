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

  /// The programs' folders of `PATH`, and those of administrators.
  static func program(_ name: String) -> String? {
    let path = getenv("PATH").map { String(cString: $0) } ?? ""
    return (path.split(separator: ":").map(String.init) + ["/usr/sbin", "/sbin"])
      .map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
  }
}
