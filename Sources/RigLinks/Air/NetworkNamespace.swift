import CRigShims
import Glibc
public import RigLoop

/// A network namespace, kept alive by its descriptor: it has no name, and is gone when the last process and the last
/// reference to it are.
// Unchecked: immutable; the descriptor may be used from any thread.
public final class NetworkNamespace: @unchecked Sendable {
  private let fd: Int32
  /// For messages.
  public let name: String

  private init(fd: Int32, name: String) {
    self.fd = fd
    self.name = name
  }

  deinit { close(fd) }

  /// The one that the calling thread is in.
  public static func current(_ name: String) throws(SystemError) -> NetworkNamespace {
    let path = "/proc/thread-self/ns/net"
    let fd = open(path, O_RDONLY | O_CLOEXEC)
    guard fd >= 0 else { throw SystemError("open", on: path) }
    return NetworkNamespace(fd: fd, name: name)
  }

  /// A new one, empty but for a loopback interface that is up. The calling thread stays where it is.
  /// - Throws: `SystemError` without the right to administer networks: neither root nor in a user namespace.
  public static func make(_ name: String) throws(SystemError) -> NetworkNamespace {
    let home = try current("home")
    let code = rig_unshare_network()
    guard code == 0 else { throw SystemError("unshare", code: code, on: "network namespace \(name)") }
    do {
      let made = try current(name)
      try settle()
      try home.enter()
      return made
    } catch {
      try? home.enter()
      throw error
    }
  }

  /// Moves the whole process into a new network namespace, and into a user namespace of its own where it is not
  /// privileged. To be called before any thread exists: afterwards the kernel refuses, or moves one thread alone.
  public static func enterPrivate() throws(SystemError) {
    var code = rig_unshare_network()
    if code == EPERM { code = rig_private_network(getuid(), getgid()) }
    guard code == 0 else { throw SystemError("unshare", code: code, on: "private network namespace") }
    try settle()
  }

  /// Calls `body` on this thread inside the namespace. Sockets and processes that it makes belong there for good.
  public func run<R>(_ body: () throws -> R) throws -> R {
    let home = try NetworkNamespace.current("home")
    try enter()
    let result = Result { try body() }
    // A thread that cannot go home would do the rest of its work in the wrong network.
    try home.enter()
    return try result.get()
  }

  /// A descriptor of its own, for the kernel to look at.
  func duplicate() throws(SystemError) -> Int32 {
    let copy = fcntl(fd, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { throw SystemError("fcntl", on: "network namespace \(name)") }
    return copy
  }

  private func enter() throws(SystemError) {
    let code = rig_enter_network(fd)
    guard code == 0 else { throw SystemError("setns", code: code, on: "network namespace \(name)") }
  }

  /// In the namespace that was just made: IPv4 alone, so that no neighbour discovery mixes with what is measured, and no
  /// reverse path filter in the way of an interface without an address. Where /proc/sys is read-only there is more noise.
  private static func settle() throws(SystemError) {
    for (name, value) in [
      ("ipv6/conf/default/disable_ipv6", "1"), ("ipv4/conf/default/rp_filter", "0"), ("ipv4/conf/all/rp_filter", "0"),
    ] {
      let file = open("/proc/sys/net/\(name)", O_WRONLY | O_CLOEXEC)
      guard file >= 0 else { continue }
      _ = value.withCString { write(file, $0, 1) }
      close(file)
    }
    let up = rig_interface_up("lo")
    guard up == 0 else { throw SystemError("ioctl", code: up, on: "lo") }
  }
}
