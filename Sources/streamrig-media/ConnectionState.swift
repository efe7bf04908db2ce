import CAV
import Glibc

/// What the kernel says of this process's TCP connections: libav itself does not tell how far it got.
enum ConnectionState {
  /// `TCP_SYN_SENT` of the kernel's `tcp_info.tcpi_state`: nobody has answered yet.
  private static let synSent: UInt8 = 2
  /// A helper has a handful of descriptors.
  private static let most: Int32 = 64

  /// A connection is being made, and none stands.
  static var isConnecting: Bool {
    var isWaiting = false
    for descriptor in 3..<most {
      var state: UInt8 = 0
      var length = socklen_t(1)
      // The first byte of `tcp_info` is the state; other descriptors than TCP sockets have none.
      guard getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &state, &length) == 0 else { continue }
      if state != synSent { return false }
      isWaiting = true
    }
    return isWaiting
  }

  /// Codes of a connection that nobody takes: refused, or no way there.
  static func isUnreachable(_ code: Int32) -> Bool {
    [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, EHOSTDOWN, ETIMEDOUT].contains { code == cav_error($0) }
  }
}
