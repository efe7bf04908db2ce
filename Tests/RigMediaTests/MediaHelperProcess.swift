import Foundation
import RigModel

/// The built helper, run as its users run it: as a process that talks over pipes.
struct MediaHelperProcess {
  struct Outcome {
    let status: Int32
    let output: String
    let errors: String

    /// The JSON lines of the output; a line that is no JSON becomes `null`.
    var lines: [JSONValue] {
      output.split(separator: "\n").map { (try? JSONParser.parse(String($0))) ?? .null }
    }
    func lines(_ kind: String) -> [JSONValue] { lines.filter { $0["kind"]?.string == kind } }
    var summary: JSONValue? { lines("summary").last }
    var ended: JSONValue? { lines("ended").last }
  }

  struct NotBuilt: Error { let searched: String }

  /// The helper stands beside the test bundle in the build directory.
  static func executable() throws -> URL {
    let bundle = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    let candidates =
      [bundle, URL(fileURLWithPath: CommandLine.arguments.first ?? "")] + Bundle.allBundles.map(\.bundleURL)
    for candidate in candidates {
      let helper = candidate.deletingLastPathComponent().appendingPathComponent("streamrig-media")
      if FileManager.default.isExecutableFile(atPath: helper.path) { return helper }
    }
    throw NotBuilt(searched: candidates.map(\.path).joined(separator: " "))
  }

  /// Runs to the end. Standard input gets `input`; it ends there unless `keepsInputOpen`, when it ends with the process.
  static func run(
    _ arguments: [String], input: String = "", bytes: [UInt8]? = nil, keepsInputOpen: Bool = false
  ) throws -> Outcome {
    let process = Process()
    process.executableURL = try executable()
    process.arguments = arguments
    let (stdin, stdout, stderr) = (Pipe(), Pipe(), Pipe())
    process.standardInput = stdin
    process.standardOutput = stdout
    process.standardError = stderr
    try process.run()
    try stdin.fileHandleForWriting.write(contentsOf: Data(bytes ?? Array(input.utf8)))
    if !keepsInputOpen { try stdin.fileHandleForWriting.close() }
    let output = stdout.fileHandleForReading.readDataToEndOfFile()
    let errors = stderr.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Outcome(
      status: process.terminationReason == .exit ? process.terminationStatus : -1,
      output: String(decoding: output, as: UTF8.self), errors: String(decoding: errors, as: UTF8.self))
  }

  /// `probe` with one open command whose end the helper must find itself.
  static func probe(_ url: String, _ members: [String: JSONValue] = [:]) throws -> Outcome {
    var command: [JSONValue.Member] = [.init("cmd", "open"), .init("url", .string(url))]
    command += members.sorted { $0.key < $1.key }.map { .init($0.key, $0.value) }
    return try run(["probe"], input: JSONValue.object(command).text + "\n", keepsInputOpen: true)
  }

  /// A new empty directory, removed afterwards.
  static func withDirectory<Result>(_ body: (URL) throws -> Result) throws -> Result {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("media-helper-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    return try body(directory)
  }
}
