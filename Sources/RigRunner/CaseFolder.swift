import Glibc
public import RigLoop
public import RigModel

/// The evidence folder of one case under the reports folder.
// Unchecked: touched only on the runner's loop.
public final class CaseFolder: CaseFiles, @unchecked Sendable {
  public let path: String
  private let relative: String
  private var descriptors: [String: Int32] = [:]
  private var known: [Artifact] = []
  private var failure: SystemError?
  private let redact: @Sendable (String) -> String

  /// - Parameters:
  ///   - reports: the reports folder.
  ///   - relative: the case's folder in it, made with its parents.
  ///   - redact: takes secrets out of every line before it is written.
  /// - Throws: `SystemError` where it cannot be made.
  public init(
    reports: String, relative: String, redact: @escaping @Sendable (String) -> String
  ) throws(SystemError) {
    self.redact = redact
    self.relative = relative
    path = "\(reports)/\(relative)"
    try Folder.make(path)
  }

  /// Lists a file that somebody else writes.
  public func announce(_ name: String, title: String) {
    known.append(Artifact(path: "\(relative)/\(name)", title: title))
  }

  public func append(_ line: String, to name: String) {
    guard let fd = descriptor(name) else { return }
    var bytes = Array(redact(line).utf8) + [0x0A]
    while !bytes.isEmpty {
      let n = Glibc.write(fd, bytes, bytes.count)
      if n < 0, errno == EINTR { continue }
      guard n > 0 else {
        failure = failure ?? SystemError("write", on: "\(path)/\(name)")
        return
      }
      bytes.removeFirst(n)
    }
  }

  /// A descriptor for a child's stderr, to be taken over by it.
  public func openLog(_ name: String) -> Int32? {
    descriptor(name).map { fcntl($0, F_DUPFD_CLOEXEC, 3) }.flatMap { $0 >= 0 ? $0 : nil }
  }

  private func descriptor(_ name: String) -> Int32? {
    if let fd = descriptors[name] { return fd }
    let fd = open("\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0o644)
    guard fd >= 0 else {
      failure = failure ?? SystemError("open", on: "\(path)/\(name)")
      return nil
    }
    descriptors[name] = fd
    announce(name, title: name)
    return fd
  }

  public var artifacts: [Artifact] { known }
  public var problem: String? { failure.map { "\($0)" } }

  deinit { for fd in descriptors.values { close(fd) } }
}

public enum Folder {
  /// What a case leaves in its folder.
  private static let evidence = [
    "capture.pcapng", "media.jsonl", "media-helper.log", "device.log", "phone-capture",
    "phone-command.log",
  ]

  /// Takes away the case folders of an earlier run: evidence of cases that this run does not hold would mislead. What
  /// somebody else put there stays.
  public static func removeEvidence(under cases: String) {
    guard let directory = opendir(cases) else { return }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard name.contains("@") else { continue }
      for file in evidence { unlink("\(cases)/\(name)/\(file)") }
      rmdir("\(cases)/\(name)")
    }
  }

  /// Makes a folder and its parents.
  public static func make(_ path: String) throws(SystemError) {
    var made = path.hasPrefix("/") ? "" : "."
    for part in path.split(separator: "/", omittingEmptySubsequences: true) {
      made += "/\(part)"
      guard mkdir(made, 0o755) == 0 || errno == EEXIST else { throw SystemError("mkdir", on: made) }
    }
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw SystemError("mkdir", code: ENOTDIR, on: path)
    }
  }
}
