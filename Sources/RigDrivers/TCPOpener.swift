public import RigDevice
public import RigLoop

/// Opens a device's control channel over TCP (also through a forwarder that gives a local port).
public struct TCPOpener: ChannelOpener {
  private let loop: EpollLoop
  private let address: SocketAddress

  public init(_ loop: EpollLoop, _ address: SocketAddress) {
    self.loop = loop
    self.address = address
  }

  public var name: String { "tcp \(address)" }
  public var endOnWire: SocketAddress? { address }
  public var isGuarded: Bool { false }

  public nonisolated(nonsending) func open() async throws -> any ByteChannel {
    try await ByteStream.connect(loop, to: address, timeout: .seconds(5))
  }
}
