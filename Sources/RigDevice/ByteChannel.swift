public import RigLoop
public import RigModel

/// A bidirectional stream of bytes to a device: TCP, stdio, serial, USB bulk, or memory.
///
/// Boundaries mean nothing. `read` gives what has come, and nothing at the end of the stream.
public protocol ByteChannel: Sendable {
  nonisolated(nonsending) func read() async throws -> [UInt8]
  nonisolated(nonsending) func write(_ bytes: [UInt8]) async throws
  func close()
}

extension ByteStream: ByteChannel {}

/// Opens a channel to one device, again after each loss.
public protocol ChannelOpener: Sendable {
  /// `tcp 127.66.1.1:7000`: for messages.
  var name: String { get }
  /// RS and CRC are required on it (serial, USB).
  var isGuarded: Bool { get }
  nonisolated(nonsending) func open() async throws -> any ByteChannel
  /// Says who takes the facts that the transport itself shows beside the bytes: stalls, time-outs, an unplugged device.
  func observe(_ witness: @escaping @Sendable (Fact) -> Void)
  /// Says who takes what the way to the device prints beside the channel, such as the stderr of a program: any bytes.
  func listen(_ log: @escaping @Sendable ([UInt8]) -> Void)
  /// Ends what the opener itself started to reach the device, and waits for that. To be called once its channels are
  /// closed; it may be opened again.
  nonisolated(nonsending) func close() async
  /// The device's end of the control link, where its packets may be on the wire beside the media's. They hold what
  /// the device tells in confidence, such as the password in an address: captures leave them out.
  var endOnWire: SocketAddress? { get }
}

extension ChannelOpener {
  public func observe(_ witness: @escaping @Sendable (Fact) -> Void) {}
  public func listen(_ log: @escaping @Sendable ([UInt8]) -> Void) {}
  public nonisolated(nonsending) func close() async {}
  public var endOnWire: SocketAddress? { nil }
}
