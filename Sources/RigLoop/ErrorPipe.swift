import CRigShims
import Glibc
import RigModel

/// What a child process writes to its stderr, read apart from its stdout: text that a device or a stranger's program
/// wrote must not reach the terminal as it is.
// Unchecked: touched only on the loop's thread.
public final class ErrorPipe: @unchecked Sendable {
  private let stream: ByteStream
  /// For `ChildProcess`, which takes it over.
  public let childEnd: Int32

  /// Reads from now on, until every process that has the other end is gone.
  /// - Parameter take: gets what comes, in pieces of at most 64 KiB.
  public init(_ loop: EpollLoop, _ take: @escaping @Sendable ([UInt8]) -> Void) throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    guard rig_pipe(&ends) == 0 else { throw SystemError("pipe2") }
    childEnd = ends[1]
    let stream = try ByteStream(loop, input: ends[0], output: ends[0])
    self.stream = stream
    loop.spawn {
      while case let bytes = try await stream.read(), !bytes.isEmpty { take(bytes) }
      stream.close()
    }
  }

  /// What is in the pipe now, at most `limit` bytes; nothing is read any more.
  public func close(limit: Int = 65_536) -> [UInt8] {
    let rest = stream.readNow(limit: limit)
    stream.close()
    return rest
  }
}
