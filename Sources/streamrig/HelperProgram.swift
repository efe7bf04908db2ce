import Glibc

/// Programs that stand beside this one.
enum HelperProgram {
  /// The running executable's own path.
  static var own: String {
    var buffer = [CChar](repeating: 0, count: 4096)
    let n = readlink("/proc/self/exe", &buffer, buffer.count - 1)
    return String(decoding: buffer.prefix(max(0, n)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// `streamrig-media`: `STREAMRIG_MEDIA`, or the file beside this program.
  static var media: String {
    if let path = getenv("STREAMRIG_MEDIA") { return String(cString: path) }
    let folder = own.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    return "\(folder)/streamrig-media"
  }

  static func isExecutable(_ path: String) -> Bool { SystemFile.isProgram(path) }
}
