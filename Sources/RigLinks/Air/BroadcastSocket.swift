import CRigShims
import Glibc
import RigLoop

/// A UDP socket of one interface that may broadcast, and hears broadcasts before the interface has an address.
// Unchecked: touched only on the loop's thread.
final class BroadcastSocket: @unchecked Sendable {
  private let loop: EpollLoop
  private let fd: Int32
  private var isClosed = false
  private var buffer = [UInt8](repeating: 0, count: 2048)

  init(_ loop: EpollLoop, in space: NetworkNamespace, interface: String, port: UInt16) throws {
    self.loop = loop
    fd = try space.run { try BroadcastSocket.open(interface, port) }
    try loop.watch(fd)
  }

  private static func open(_ interface: String, _ port: UInt16) throws(SystemError) -> Int32 {
    let fd = rig_socket(AF_INET, Int32(SOCK_DGRAM.rawValue))
    guard fd >= 0 else { throw SystemError("socket", on: "DHCP on \(interface)") }
    var one: Int32 = 1
    let size = socklen_t(MemoryLayout<Int32>.size)
    var own = address(.any, port)
    guard setsockopt(fd, SOL_SOCKET, SO_BROADCAST, &one, size) == 0,
      setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, size) == 0,
      setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, interface, socklen_t(interface.utf8.count)) == 0,
      withRaw(&own, { bind(fd, $0, $1) }) == 0
    else {
      let error = SystemError("bind", on: "DHCP port \(port) on \(interface)")
      Glibc.close(fd)
      throw error
    }
    return fd
  }

  static func address(_ host: IPv4, _ port: UInt16) -> sockaddr_in {
    var a = sockaddr_in()
    a.sin_family = sa_family_t(AF_INET)
    a.sin_port = port.bigEndian
    a.sin_addr.s_addr = host.value.bigEndian
    return a
  }

  static func withRaw<R>(
    _ address: inout sockaddr_in, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R
  ) -> R {
    withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
  }

  /// - Returns: 0 or an errno.
  @discardableResult
  func broadcast(_ bytes: [UInt8], port: UInt16) -> Int32 {
    guard !isClosed else { return EBADF }
    var to = BroadcastSocket.address(.broadcast, port)
    let n = BroadcastSocket.withRaw(&to) { sendto(fd, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, $1) }
    return n == bytes.count ? 0 : errno
  }

  /// The next datagram; `nil` after `close`.
  nonisolated(nonsending) func receive() async throws -> [UInt8]? {
    while !isClosed {
      let n = recv(fd, &buffer, buffer.count, 0)
      if n >= 0 { return Array(buffer[0..<n]) }
      switch errno {
      case EAGAIN: try await loop.readable(fd)
      // The interface went down, or an earlier datagram met a closed port; the socket lives on.
      case EINTR, ECONNREFUSED, ENETDOWN: continue
      default: throw SystemError("recv", on: "DHCP")
      }
    }
    return nil
  }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    loop.unwatch(fd)
    Glibc.close(fd)
  }

  deinit { close() }
}
