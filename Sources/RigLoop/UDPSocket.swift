import CRigShims
import Glibc

/// A bound UDP socket.
// Unchecked: touched only on the loop's thread.
public final class UDPSocket: @unchecked Sendable {
  private let loop: EpollLoop
  private let fd: Int32
  private var isClosed = false
  public let address: SocketAddress
  private var buffer = [UInt8](repeating: 0, count: 65536)

  public init(_ loop: EpollLoop, on wanted: SocketAddress) throws(SystemError) {
    self.loop = loop
    let fd = rig_socket(wanted.family, Int32(SOCK_DGRAM.rawValue))
    guard fd >= 0 else { throw SystemError("socket", on: "\(wanted)") }
    guard wanted.withRaw({ bind(fd, $0, $1) }) == 0, let address = SocketAddress.of(fd, remote: false) else {
      let error = SystemError("bind", on: "\(wanted)")
      Glibc.close(fd)
      throw error
    }
    self.fd = fd
    self.address = address
    try loop.watch(fd)
  }

  /// Sends one datagram now.
  /// - Returns: 0, or the errno (`EAGAIN`, `ENOBUFS`, `ECONNREFUSED` from an earlier datagram, …).
  @discardableResult
  public func send(_ bytes: [UInt8], to peer: SocketAddress) -> Int32 {
    guard !isClosed else { return EBADF }
    let n = peer.withRaw { address, length in
      bytes.withUnsafeBytes { sendto(fd, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL), address, length) }
    }
    return n < 0 ? errno : 0
  }

  /// The next datagram and its sender; `nil` after `close`.
  public nonisolated(nonsending) func receive() async throws -> (bytes: [UInt8], from: SocketAddress)? {
    while !isClosed {
      var raw = sockaddr_storage()
      var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
      let n = withUnsafeMutablePointer(to: &raw) { p in
        p.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          recvfrom(fd, &buffer, buffer.count, 0, $0, &length)
        }
      }
      if n >= 0, let from = SocketAddress(raw) { return (Array(buffer[0..<n]), from) }
      switch errno {
      case EAGAIN: try await loop.readable(fd)
      // ECONNREFUSED: an earlier datagram met a closed port; the socket lives on.
      case EINTR, ECONNREFUSED: continue
      default: throw SystemError("recvfrom", on: "\(address)")
      }
    }
    return nil
  }

  public func close() {
    guard !isClosed else { return }
    isClosed = true
    loop.unwatch(fd)
    Glibc.close(fd)
  }

  deinit { close() }
}
