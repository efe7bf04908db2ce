import Foundation
import RigFuzz
import Testing

/// Every committed seed and every input that once crashed goes through its target again.
@Suite struct FuzzReplayTests {
  private static let corpus = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Corpus")

  private static func inputs(_ target: String) throws -> [(name: String, bytes: [UInt8])] {
    let folder = corpus.appending(path: target)
    return try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false)).sorted()
      .map { ($0, Array(try Data(contentsOf: folder.appending(path: $0)))) }
  }

  private static func check(_ target: FuzzTarget, _ bytes: [UInt8]) throws {
    try bytes.withUnsafeBytes { try target.check($0) }
  }

  @Test(arguments: FuzzTargets.all.map(\.name)) func corpusHolds(_ name: String) throws {
    let target = try #require(FuzzTargets.named(name))
    let inputs = try Self.inputs(name)
    #expect(!inputs.isEmpty, "no seed for \(name)")
    for input in inputs {
      do {
        try Self.check(target, input.bytes)
      } catch {
        Issue.record("Tests/Corpus/\(name)/\(input.name): \(error)")
      }
    }
  }

  /// Inputs that no seed file can hold well: nothing, one byte, and long runs of one byte.
  @Test(arguments: FuzzTargets.all.map(\.name)) func plainInputsHold(_ name: String) throws {
    let target = try #require(FuzzTargets.named(name))
    try Self.check(target, [])
    for byte: UInt8 in [0x00, 0x0A, 0x20, 0x22, 0x24, 0x2C, 0x3A, 0x3B, 0x5B, 0x7B, 0x80, 0xFF] {
      for count in [1, 2, 3, 13, target.maximumLength] {
        try Self.check(target, [UInt8](repeating: byte, count: count))
      }
    }
  }

  @Test func eachFolderHasItsTarget() throws {
    let folders = try FileManager.default.contentsOfDirectory(atPath: Self.corpus.path(percentEncoded: false))
      .filter { !$0.contains(".") && $0 != "make-seeds" }
    #expect(Set(folders) == Set((FuzzTargets.all + [FuzzTargets.planted]).map(\.name)))
  }

  /// The planted bug is one: a STAP-A unit one byte longer than its packet.
  @Test func plantedBugIsReported() throws {
    try Self.check(FuzzTargets.planted, [24, 0, 2, 0x65, 1])
    try Self.check(FuzzTargets.planted, [24, 0, 4, 0x65, 1])
    #expect(throws: FuzzViolation.self) { try Self.check(FuzzTargets.planted, [24, 0, 3, 0x65, 1]) }
  }
}
