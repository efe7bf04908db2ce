/// Why bytes are no clip, and where.
public struct ClipError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Byte offset from the start of the file.
  public let offset: Int
  public let problem: String
  public init(offset: Int, problem: String) {
    self.offset = offset
    self.problem = problem
  }
  public var description: String { "clip, byte \(offset): \(problem)" }
}
