import Foundation

/// A folder of its own for a test, gone with it.
final class ScratchFolder {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.appending(path: "streamrig-\(UUID().uuidString)").path()
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }
  func text(_ name: String) -> String? { try? String(contentsOfFile: self(name), encoding: .utf8) }
  func put(_ text: String, _ name: String) throws {
    try text.write(toFile: self(name), atomically: false, encoding: .utf8)
  }
  var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }
  func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: self(name), withDestinationPath: target)
  }
  func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: self(name)) }

  /// Writes to it fail with "no space left on device".
  static let full = "/dev/full"
  static let hasFull = FileManager.default.fileExists(atPath: full)
}
