import Glibc
import RigFlow
import RigLoop
import RigModel
import RigPlan
import RigYAML

/// Finds and reads plan files.
enum PlanFiles {
  /// Reads all plans under the paths; a folder stands for every `.yaml` and `.yml` below it.
  /// - Throws: `UsageError` where a path cannot be read or no plan is found.
  static func read(_ paths: [String]) throws(UsageError) -> PlanSet {
    let vocabulary = Catalogs.vocabulary
    var files: [String] = []
    for path in paths.isEmpty ? ["Scenarios"] : paths { files += try find(path) }
    guard !files.isEmpty else {
      throw UsageError(description: "no plan (.yaml) found under \(paths.joined(separator: ", "))")
    }
    var seen: Set<String> = []
    let readings = files.filter { seen.insert($0).inserted }.map { file -> PlanReading in
      switch contents(file, limit: YAMLDocument.maximumBytes + 1) {
      case .success(let bytes):
        return YAMLDocument.readPlan(
          bytes: bytes, file: file, vocabulary: vocabulary, flows: FlowCatalog.all, contents: fragment)
      case .failure(let error):
        let place = SourcePosition(file: file, line: 1, column: 1)
        return PlanReading(file: file, refusedBecause: [PlanDiagnostic(place, "cannot be read: \(error.reason)")])
      }
    }
    if readings.allSatisfy({ $0.isFragment && $0.diagnostics.isEmpty }) {
      throw UsageError(
        description: "no plan found under \(paths.joined(separator: ", ")): only fragments, which plans extend")
    }
    return PlanSet(readings)
  }

  /// A file that a plan extends.
  private static func fragment(_ path: String) -> YAMLDocument.Contents {
    var status = stat()
    guard stat(path, &status) == 0 else { return .unreadable(SystemError("stat").reason) }
    // A pipe or a device would be waited for.
    guard status.st_mode & S_IFMT == S_IFREG else { return .unreadable("it is no file") }
    return switch contents(path, limit: YAMLDocument.maximumBytes + 1) {
    case .success(let bytes): .bytes(bytes)
    case .failure(let error): .unreadable(error.reason)
    }
  }

  /// Prints diagnostics to standard error.
  /// - Returns: whether the plans may be used.
  static func report(_ plans: PlanSet) -> Bool {
    // Bare, as compilers print them: editors jump to `file:line:column`.
    for diagnostic in plans.diagnostics { Output.diagnose("\(diagnostic)") }
    return !plans.hasErrors
  }

  private static func find(_ path: String) throws(UsageError) -> [String] {
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw UsageError(description: "\(PrintableText.quote(path)): \(SystemError("stat").reason)")
    }
    guard status.st_mode & S_IFMT == S_IFDIR else { return [path] }
    var files: [String] = []
    try walk(path, depth: 0, into: &files)
    return files.sorted()
  }

  private static func walk(_ folder: String, depth: Int, into files: inout [String]) throws(UsageError) {
    guard let directory = opendir(folder) else {
      throw UsageError(description: "\(PrintableText.quote(folder)): \(SystemError("opendir").reason)")
    }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard !name.hasPrefix(".") else { continue }
      let path = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
      let isPlan = name.hasSuffix(".yaml") || name.hasSuffix(".yml")
      switch Int(entry.pointee.d_type) {
      case Int(DT_REG): if isPlan { files.append(path) }
      case Int(DT_DIR): try descend(path, depth: depth, into: &files)
      default:
        // A link, or a file system that does not say.
        var status = stat()
        guard stat(path, &status) == 0 else { continue }
        if status.st_mode & S_IFMT == S_IFDIR {
          try descend(path, depth: depth, into: &files)
        } else if isPlan {
          files.append(path)
        }
      }
    }
  }

  /// A link that leads back up would go on for ever.
  private static func descend(_ folder: String, depth: Int, into files: inout [String]) throws(UsageError) {
    if depth < 16 { try walk(folder, depth: depth + 1, into: &files) }
  }

  /// At most `limit` bytes of a file.
  static func contents(_ path: String, limit: Int) -> Result<[UInt8], SystemError> {
    let fd = open(path, O_RDONLY | O_CLOEXEC)
    guard fd >= 0 else { return .failure(SystemError("open", on: path)) }
    defer { close(fd) }
    var status = stat()
    // One byte more than the file has: what comes short of that is all of it. Pipes tell no size.
    let isFile = fstat(fd, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_size > 0
    var room = isFile ? Int(status.st_size) + 1 : 64 * 1024
    var bytes: [UInt8] = []
    while bytes.count < limit {
      var failed = false
      let chunk = [UInt8](unsafeUninitializedCapacity: min(room, limit - bytes.count)) { buffer, count in
        repeat { count = Glibc.read(fd, buffer.baseAddress, buffer.count) } while count < 0 && errno == EINTR
        failed = count < 0
        count = max(0, count)
      }
      if failed { return .failure(SystemError("read", on: path)) }
      if chunk.isEmpty { break }
      bytes = bytes.isEmpty ? chunk : bytes + chunk
      if isFile, chunk.count < room { break }
      room = max(64 * 1024, bytes.count)
    }
    return .success(bytes)
  }
}
