public import RigLoop

/// An access point on the loopback link: a TCP port that answers exactly while it is up.
public actor PortHotspot: HotspotBackend {
  private let loop: EpollLoop
  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  private let address: SocketAddress
  private var listener: TCPListener?

  /// - Parameter address: a fixed port, announced before it is open.
  public init(_ loop: EpollLoop, on address: SocketAddress) {
    self.loop = loop
    self.address = address
  }

  public nonisolated var probe: (host: String, port: UInt16) { (address.host, address.port) }

  public func up() async throws {
    guard listener == nil else { return }
    let listener = try TCPListener(loop, on: address)
    self.listener = listener
    loop.spawn {
      while let station = try await listener.accept() { station.close() }
    }
  }

  public func down() {
    listener?.close()
    listener = nil
  }
}
