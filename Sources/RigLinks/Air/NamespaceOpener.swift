import CRigShims
import Glibc
public import RigDevice
public import RigLoop
import RigModel

/// Opens a device's control channel from inside the device's own namespace: a second path, as a cable beside the radio,
/// that no impairment of the air touches and no capture of the air sees.
public struct NamespaceOpener: ChannelOpener {
  private let loop: EpollLoop
  private let space: NetworkNamespace
  private let address: SocketAddress

  public init(_ loop: EpollLoop, in space: NetworkNamespace, _ address: SocketAddress) {
    self.loop = loop
    self.space = space
    self.address = address
  }

  public var name: String { "tcp \(address) beside the air" }
  public var isGuarded: Bool { false }

  public nonisolated(nonsending) func open() async throws -> any ByteChannel {
    try await ByteStream.connect(loop, in: space, to: address, timeout: .seconds(5))
  }
}

extension ByteStream {
  /// Connects by TCP with a socket that belongs to `space`.
  /// - Throws: `SystemError` with the kernel's reason (`ECONNREFUSED`, `ETIMEDOUT` after `timeout`, …).
  static nonisolated(nonsending) func connect(
    _ loop: EpollLoop, in space: NetworkNamespace, to address: SocketAddress, timeout: Duration
  ) async throws -> ByteStream {
    guard let host = IPv4(text: address.host) else { throw SystemError("connect", code: EINVAL, on: "\(address)") }
    let fd = try space.run { rig_socket(AF_INET, Int32(SOCK_STREAM.rawValue)) }
    guard fd >= 0 else { throw SystemError("socket", on: "\(address)") }
    var to = BroadcastSocket.address(host, address.port)
    let rc = BroadcastSocket.withRaw(&to) { Glibc.connect(fd, $0, $1) }
    guard rc == 0 || errno == EINPROGRESS else {
      let error = SystemError("connect", on: "\(address)")
      Glibc.close(fd)
      throw error
    }
    let stream = try ByteStream(loop, socket: fd)
    // Closing wakes whoever waits for it to become writable.
    let timer = loop.schedule(at: loop.now + timeout) { stream.close() }
    defer { loop.cancel(timer) }
    do {
      while true {
        guard !stream.isClosed else { throw SystemError("connect", code: ETIMEDOUT, on: "\(address)") }
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(fd, SOL_SOCKET, SO_ERROR, &code, &length)
        guard code == 0 else { throw SystemError("connect", code: code, on: "\(address)") }
        if stream.remoteAddress != nil { return stream }
        try await loop.writable(fd)
      }
    } catch {
      stream.close()
      throw error
    }
  }
}
