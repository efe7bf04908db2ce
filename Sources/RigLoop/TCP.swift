import CRigShims
import Glibc
import RigModel

/// A listening TCP socket.
// Unchecked: touched only on the loop's thread.
public final class TCPListener: @unchecked Sendable {
  private let loop: EpollLoop
  private let fd: Int32
  private var isClosed = false
  public let address: SocketAddress

  /// Port 0 takes a free one; `address` tells which.
  public init(_ loop: EpollLoop, on wanted: SocketAddress) throws(SystemError) {
    self.loop = loop
    let fd = rig_socket(wanted.family, Int32(SOCK_STREAM.rawValue))
    guard fd >= 0 else { throw SystemError("socket", on: "\(wanted)") }
    var one: Int32 = 1
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
    let bound = wanted.withRaw { bind(fd, $0, $1) }
    guard bound == 0, listen(fd, 1024) == 0, let address = SocketAddress.of(fd, remote: false) else {
      let error = SystemError("bind", on: "\(wanted)")
      Glibc.close(fd)
      throw error
    }
    self.fd = fd
    self.address = address
    try loop.watch(fd)
  }

  /// The next connection; `nil` after `close`.
  public nonisolated(nonsending) func accept() async throws -> ByteStream? {
    while !isClosed {
      let (client, code) = try takeClient()
      if let client { return client }
      switch code {
      case EAGAIN: try await loop.readable(fd)
      case EINTR, ECONNABORTED: continue
      case EMFILE, ENFILE: try await loop.sleep(for: .milliseconds(100))
      default: throw SystemError("accept", code: code, on: "\(address)")
      }
    }
    return nil
  }

  /// One attempt, and its errno. Apart from `accept`: inside the coroutine it crashed the optimizer of Swift 6.3.
  @inline(never)
  private func takeClient() throws(SystemError) -> (ByteStream?, Int32) {
    let client = rig_accept(fd)
    return client >= 0 ? (try ByteStream(loop, socket: client), 0) : (nil, errno)
  }

  public func close() {
    guard !isClosed else { return }
    isClosed = true
    loop.unwatch(fd)
    Glibc.close(fd)
  }

  deinit { close() }
}

extension ByteStream {
  /// Connects by TCP.
  /// - Throws: `SystemError` with the kernel's reason (`ECONNREFUSED`, `ETIMEDOUT` after `timeout`, …).
  public static nonisolated(nonsending) func connect(
    _ loop: EpollLoop, to address: SocketAddress, timeout: Duration
  ) async throws -> ByteStream {
    let fd = rig_socket(address.family, Int32(SOCK_STREAM.rawValue))
    guard fd >= 0 else { throw SystemError("socket", on: "\(address)") }
    let rc = address.withRaw { Glibc.connect(fd, $0, $1) }
    guard rc == 0 || errno == EINPROGRESS else {
      let error = SystemError("connect", on: "\(address)")
      Glibc.close(fd)
      throw error
    }
    let stream = try ByteStream(loop, socket: fd)
    if rc == 0 { return stream }
    let deadline = loop.now + timeout
    // Shutting the socket down wakes whoever waits for it to become writable.
    let timer = loop.schedule(at: deadline) { stream.close() }
    defer { loop.cancel(timer) }
    do {
      while true {
        try await loop.writable(fd)
        guard !stream.isClosed else { throw SystemError("connect", code: ETIMEDOUT, on: "\(address)") }
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(fd, SOL_SOCKET, SO_ERROR, &code, &length)
        guard code == 0 else { throw SystemError("connect", code: code, on: "\(address)") }
        if stream.remoteAddress != nil { return stream }
      }
    } catch {
      stream.close()
      throw error
    }
  }
}
