import Glibc

/// Which of its addresses this machine would use.
enum LocalAddress {
  /// - Returns: the source address of packets to `host` (`192.168.42.17`); `nil`: no way there, or no IPv4 address.
  static func used(towards host: String) -> IPv4? {
    guard let target = IPv4(text: host) else { return nil }
    let fd = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    guard fd >= 0 else { return nil }
    defer { Glibc.close(fd) }
    // A datagram socket's connect sends nothing; it looks up the route.
    guard withAddress(target, port: 9, { connect(fd, $0, $1) }) == 0 else { return nil }
    var name = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let rc = withUnsafeMutablePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(fd, $0, &length) }
    }
    return rc == 0 ? IPv4(UInt32(bigEndian: name.sin_addr.s_addr)) : nil
  }

  /// Whether an interface of this machine has the address: only then a socket can be bound to it.
  static func isHeld(_ address: IPv4) -> Bool {
    let fd = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    guard fd >= 0 else { return false }
    defer { Glibc.close(fd) }
    return withAddress(address, port: 0, { bind(fd, $0, $1) }) == 0
  }

  private static func withAddress(
    _ address: IPv4, port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = port.bigEndian
    name.sin_addr.s_addr = address.value.bigEndian
    return withUnsafePointer(to: name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
  }
}
