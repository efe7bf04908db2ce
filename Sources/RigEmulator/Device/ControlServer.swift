public import RigLoop

/// Listens for control connections to an emulated device over TCP.
public actor ControlServer {
  private let loop: EpollLoop
  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  private let device: EmulatedDevice
  private let listener: TCPListener
  public nonisolated let address: SocketAddress

  /// - Throws: `SystemError` where the address cannot be bound.
  public init(_ loop: EpollLoop, on address: SocketAddress, device: EmulatedDevice) throws(SystemError) {
    self.loop = loop
    self.device = device
    listener = try TCPListener(loop, on: address)
    self.address = listener.address
  }

  /// Accepts until the listener is closed.
  public func serve() async throws {
    while let stream = try await listener.accept() {
      if await !device.accept(stream) { stream.close() }
    }
  }

  public func close() { listener.close() }
}
