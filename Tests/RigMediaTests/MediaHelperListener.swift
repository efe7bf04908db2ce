import Glibc

/// A TCP socket on a free port of the loopback interface.
///
/// Bound but not listening it refuses connections; listening and never accepting, it lets peers connect and says
/// nothing: in both cases nobody else can take the port meanwhile.
final class MediaHelperListener {
  struct Failure: Error { let code: Int32 }

  let descriptor: Int32
  let port: UInt16

  init(listens: Bool) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let fd = descriptor
    let code = withUnsafeMutableBytes(of: &address) { bytes -> Int32 in
      guard let pointer = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return -1 }
      if bind(fd, pointer, length) != 0 { return -1 }
      return getsockname(fd, pointer, &length)
    }
    port = UInt16(bigEndian: address.sin_port)
    guard code == 0, !listens || listen(descriptor, 4) == 0 else { throw Failure(code: errno) }
  }

  /// Connects until the kernel takes no more for somebody who never accepts: the next one to come gets no answer.
  /// - Returns: the descriptors, to be closed.
  func fillBacklog() throws -> [Int32] {
    var descriptors: [Int32] = []
    for _ in 0..<64 {
      let fd = socket(
        AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
      descriptors.append(fd)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      address.sin_port = port.bigEndian
      withUnsafeBytes(of: &address) { bytes in
        guard let pointer = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return }
        _ = connect(fd, pointer, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
      var wait = pollfd(fd: fd, events: Int16(POLLOUT), revents: 0)
      // Over loopback a connection that is taken is taken at once.
      if poll(&wait, 1, 200) == 0 { return descriptors }
    }
    throw Failure(code: EAGAIN)
  }

  deinit { close(descriptor) }
}
