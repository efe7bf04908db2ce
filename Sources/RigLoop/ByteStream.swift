import CRigShims
import Glibc

/// A connected socket or a pair of pipe ends, read and written from one loop.
// Unchecked: touched only on the loop's thread.
public final class ByteStream: @unchecked Sendable {
  private let loop: EpollLoop
  private let input: Int32
  private let output: Int32
  public private(set) var isClosed = false
  private var buffer = [UInt8](repeating: 0, count: 64 * 1024)

  /// Takes over both descriptors (they may be the same one).
  public init(_ loop: EpollLoop, input: Int32, output: Int32) throws(SystemError) {
    self.loop = loop
    self.input = input
    self.output = output
    _ = rig_set_nonblocking(input)
    try loop.watch(input)
    if output != input {
      _ = rig_set_nonblocking(output)
      try loop.watch(output)
    }
  }

  public convenience init(_ loop: EpollLoop, socket: Int32) throws(SystemError) {
    var one: Int32 = 1
    setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    try self.init(loop, input: socket, output: socket)
  }

  /// The next bytes, at most 64 KiB; empty at the end of the stream or after `close`.
  public nonisolated(nonsending) func read() async throws -> [UInt8] {
    while !isClosed {
      let n = Glibc.read(input, &buffer, buffer.count)
      if n > 0 { return Array(buffer[0..<n]) }
      if n == 0 { return [] }
      switch errno {
      case EAGAIN: try await loop.readable(input)
      case EINTR: continue
      // A pseudo-terminal whose other side is gone.
      case EIO: return []
      default: throw SystemError("read")
      }
    }
    return []
  }

  /// What has come and was not read yet, without waiting; at most `limit` bytes.
  public func readNow(limit: Int) -> [UInt8] {
    var got: [UInt8] = []
    while !isClosed, got.count < limit {
      let n = Glibc.read(input, &buffer, min(buffer.count, limit - got.count))
      if n > 0 {
        got += buffer[0..<n]
      } else if n == 0 || errno != EINTR {
        break
      }
    }
    return got
  }

  /// Writes all of it.
  public nonisolated(nonsending) func write(_ bytes: [UInt8]) async throws {
    var sent = 0
    while sent < bytes.count {
      guard !isClosed else { throw SystemError("write", code: EBADF) }
      let n = writeNow(bytes[sent...])
      if n > 0 {
        sent += n
      } else if n == 0 {
        try await loop.writable(output)
      } else {
        throw SystemError("write", code: Int32(-n))
      }
    }
  }

  /// Writes what fits without waiting.
  /// - Returns: the count, 0 where nothing fits now, or a negative errno.
  public func writeNow(_ bytes: ArraySlice<UInt8>) -> Int {
    guard !isClosed else { return -Int(EBADF) }
    while true {
      let n = bytes.withUnsafeBytes { raw in
        let sent = send(output, raw.baseAddress, raw.count, Int32(MSG_NOSIGNAL))
        return sent < 0 && errno == ENOTSOCK ? Glibc.write(output, raw.baseAddress, raw.count) : sent
      }
      if n >= 0 { return n }
      if errno == EAGAIN { return 0 }
      if errno != EINTR { return -Int(errno) }
    }
  }

  public var localAddress: SocketAddress? { isClosed ? nil : SocketAddress.of(input, remote: false) }
  public var remoteAddress: SocketAddress? { isClosed ? nil : SocketAddress.of(input, remote: true) }

  /// Ends both directions; whoever waits goes on.
  public func close() {
    guard !isClosed else { return }
    isClosed = true
    loop.unwatch(input)
    if output != input { loop.unwatch(output) }
    Glibc.close(input)
    if output != input { Glibc.close(output) }
  }

  /// Ends with a reset instead of an orderly close, as a crashed peer does.
  public func reset() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(input, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
    close()
  }

  deinit { close() }
}
