import Foundation
import Glibc
import Testing

/// Plays a scenario of `usb-bench`: an emulated bus in one process, the driver in another.
enum Script {
  /// A program of this package, beside the test bundle.
  static func built(_ name: String) -> URL {
    let bundle = Bundle.allBundles.map(\.bundleURL).first { $0.pathExtension == "xctest" }
    let folder = (bundle ?? URL(filePath: CommandLine.arguments[0])).deletingLastPathComponent()
    return folder.appending(path: name)
  }

  /// Whether this machine has umockdev, and the bench was built with it.
  static let isAvailable: Bool = {
    let preload = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib", "/usr/lib64"].contains {
      FileManager.default.fileExists(atPath: "\($0)/libumockdev-preload.so.0")
    }
    guard preload, let probe = try? run(["no-such-scenario"]) else { return false }
    return probe.status == 2
  }()

  /// The lines that it printed.
  static func lines(_ scenario: String) throws -> [String] {
    let result = try run([scenario])
    #expect(result.status == 0, "\(scenario) ended with status \(result.status)")
    return result.out.split(separator: "\n").map(String.init)
  }

  /// Runs several of it at the same time; what each printed, errors too, in their order.
  static func runAll(_ commands: [[String]]) throws -> [String] {
    let started = try commands.map { try start($0, keepsErrors: true) }
    return started.map { process, pipe in
      let out = pipe.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return String(decoding: out, as: UTF8.self)
    }
  }

  /// Runs `usb-bench` to its end.
  static func run(_ arguments: [String]) throws -> (status: Int32, out: String) {
    var (process, pipe) = try start(arguments)
    var out = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    if process.terminationReason == .uncaughtSignal, process.terminationStatus == SIGALRM {
      // The emulation came to stand. Once that is the emulation's affair; twice in a row it is ours.
      (process, pipe) = try start(arguments)
      out = pipe.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
    }
    return (process.terminationStatus, String(decoding: out, as: UTF8.self))
  }

  private static func start(_ arguments: [String], keepsErrors: Bool = false) throws -> (Process, Pipe) {
    let process = Process()
    process.executableURL = built("usb-bench")
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = keepsErrors ? pipe : FileHandle.nullDevice
    try process.run()
    return (process, pipe)
  }
}
