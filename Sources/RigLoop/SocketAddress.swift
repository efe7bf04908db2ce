import Glibc

/// A numeric IPv4 or IPv6 address and a port. Names are never looked up: a rig names its devices by address.
public struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
  public let host: String
  public let port: UInt16

  /// - Returns: `nil` where `host` is not a numeric address.
  public init?(host: String, port: UInt16) {
    self.host = host
    self.port = port
    guard storage != nil else { return nil }
  }

  private init(trusted host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// The same address in the one spelling that the kernel gives it: `::1` for `0:0::0001`, `10.0.0.1` for
  /// `::ffff:10.0.0.1`.
  public var canonical: SocketAddress {
    guard let (raw, _) = storage, let plain = SocketAddress(raw) else { return self }
    let mapped = "::ffff:"
    if plain.host.hasPrefix(mapped), plain.host.contains(".") {
      return SocketAddress(trusted: String(plain.host.dropFirst(mapped.count)), port: port)
    }
    guard let percent = host.firstIndex(of: "%") else { return plain }
    return SocketAddress(trusted: plain.host + host[percent...], port: port)
  }

  public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  var family: Int32 { host.contains(":") ? AF_INET6 : AF_INET }

  /// The kernel's form, with its length; an IPv6 zone (`fe80::1%eth0`) is kept.
  private var storage: (sockaddr_storage, socklen_t)? {
    var out = sockaddr_storage()
    let parts = host.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
    guard let bare = parts.first else { return nil }
    if host.contains(":") {
      var a = sockaddr_in6()
      a.sin6_family = sa_family_t(AF_INET6)
      a.sin6_port = port.bigEndian
      guard inet_pton(AF_INET6, String(bare), &a.sin6_addr) == 1 else { return nil }
      if parts.count == 2 {
        a.sin6_scope_id = if_nametoindex(String(parts[1]))
        guard a.sin6_scope_id != 0 else { return nil }
      }
      withUnsafeMutableBytes(of: &out) { raw in withUnsafeBytes(of: a) { raw.copyMemory(from: $0) } }
      return (out, socklen_t(MemoryLayout<sockaddr_in6>.size))
    }
    var a = sockaddr_in()
    a.sin_family = sa_family_t(AF_INET)
    a.sin_port = port.bigEndian
    guard parts.count == 1, inet_pton(AF_INET, host, &a.sin_addr) == 1 else { return nil }
    withUnsafeMutableBytes(of: &out) { raw in withUnsafeBytes(of: a) { raw.copyMemory(from: $0) } }
    return (out, socklen_t(MemoryLayout<sockaddr_in>.size))
  }

  func withRaw<R>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
    guard let stored = storage else { return withUnsafePointer(to: sockaddr()) { body($0, 0) } }
    var (raw, length) = stored
    return withUnsafePointer(to: &raw) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
    }
  }

  init?(_ raw: sockaddr_storage) {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let made: (String, UInt16)? = withUnsafePointer(to: raw) { p in
      switch Int32(p.pointee.ss_family) {
      case AF_INET:
        p.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { a in
          var address = a.pointee.sin_addr
          inet_ntop(AF_INET, &address, &text, socklen_t(text.count))
          return (SocketAddress.string(text), UInt16(bigEndian: a.pointee.sin_port))
        }
      case AF_INET6:
        p.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { a in
          var address = a.pointee.sin6_addr
          inet_ntop(AF_INET6, &address, &text, socklen_t(text.count))
          return (SocketAddress.string(text), UInt16(bigEndian: a.pointee.sin6_port))
        }
      default: nil
      }
    }
    guard let made else { return nil }
    self.init(trusted: made.0, port: made.1)
  }

  private static func string(_ c: [CChar]) -> String {
    String(decoding: c.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The local or remote end of a socket.
  static func of(_ fd: Int32, remote: Bool) -> SocketAddress? {
    var raw = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let rc = withUnsafeMutablePointer(to: &raw) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        remote ? getpeername(fd, $0, &length) : getsockname(fd, $0, &length)
      }
    }
    return rc == 0 ? SocketAddress(raw) : nil
  }
}
