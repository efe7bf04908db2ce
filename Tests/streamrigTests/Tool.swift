import Foundation
import Glibc
import Testing

/// The built `streamrig`, run as a user runs it.
struct Tool {
  struct Result {
    var status: Int32
    var out: String
    var err: String
  }

  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// Beside the test bundle.
  static var program: URL {
    let bundle = Bundle.allBundles.map(\.bundleURL).first { $0.pathExtension == "xctest" }
    let folder = (bundle ?? URL(filePath: CommandLine.arguments[0])).deletingLastPathComponent()
    return folder.appending(path: "streamrig")
  }

  /// Runs in the package's root unless told otherwise.
  static func run(_ arguments: [String], in folder: URL = root, environment: [String: String] = [:]) throws -> Result {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.currentDirectoryURL = folder
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    let files = try Folder()
    let (out, err) = (files.url.appending(path: "out"), files.url.appending(path: "err"))
    for file in [out, err] { try Data().write(to: file) }
    process.standardOutput = try FileHandle(forWritingTo: out)
    process.standardError = try FileHandle(forWritingTo: err)
    try process.run()
    process.waitUntilExit()
    return Result(
      status: process.terminationStatus, out: try String(contentsOf: out, encoding: .utf8),
      err: try String(contentsOf: err, encoding: .utf8))
  }
}

extension Tool {
  /// A `streamrig` that runs beside the test.
  final class Running {
    private let process = Process()
    private let files: Folder
    private let diagnostics = Pipe()
    private var said = Data()

    fileprivate init(_ arguments: [String], _ environment: [String: String]) throws {
      files = try Folder()
      let out = files.url.appending(path: "out")
      try Data().write(to: out)
      process.executableURL = Tool.program
      process.arguments = arguments
      process.currentDirectoryURL = Tool.root
      process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = try FileHandle(forWritingTo: out)
      process.standardError = diagnostics
      try process.run()
    }

    /// Waits for the first line on standard error; what there was, where the program ended instead.
    func firstDiagnostic() throws -> String {
      while !said.contains(0x0A) {
        let more = diagnostics.fileHandleForReading.availableData
        if more.isEmpty { break }
        said += more
      }
      return String(decoding: said, as: UTF8.self)
    }

    /// Waits for a text on standard error; false: the program ended without it.
    func next(until text: String) throws -> Bool {
      while !String(decoding: said, as: UTF8.self).contains(text) {
        let more = diagnostics.fileHandleForReading.availableData
        if more.isEmpty { return false }
        said += more
      }
      return true
    }

    /// As `kill -9`.
    func kill() { _ = Glibc.kill(process.processIdentifier, SIGKILL) }

    /// As Ctrl-C.
    func interrupt() { process.interrupt() }

    /// Waits for the end.
    func finish() throws -> Result {
      said += diagnostics.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return Result(
        status: process.terminationStatus,
        out: try String(contentsOf: files.url.appending(path: "out"), encoding: .utf8),
        err: String(decoding: said, as: UTF8.self))
    }

    deinit { if process.isRunning { process.terminate() } }
  }

  static func start(_ arguments: [String], environment: [String: String] = [:]) throws -> Running {
    try Running(arguments, environment)
  }
}

/// A folder that goes away with its owner.
final class Folder {
  let url: URL
  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "streamrig-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }
  func write(_ text: String, _ name: String) throws -> String {
    let file = url.appending(path: name)
    try Data(text.utf8).write(to: file)
    return file.path
  }
  func read(_ name: String) throws -> Data { try Data(contentsOf: url.appending(path: name)) }
  deinit { try? FileManager.default.removeItem(at: url) }
}
