public import RigDevice
internal import RigLoop

/// A byte channel over the bulk pair of a USB device. Used on one loop.
///
/// It opens clean: interface claimed, both halts cleared, old bytes dropped. It recovers an endpoint that halts, once,
/// and ends with a named error when the device is unplugged.
public final class USBChannel: ByteChannel {
  let pipe: USBPipe

  init(_ pipe: USBPipe) { self.pipe = pipe }

  /// The next bytes; empty after `close`.
  /// - Throws: `USBError`, after the last byte that came before it.
  public nonisolated(nonsending) func read() async throws -> [UInt8] { try await pipe.read() }

  /// Writes all of it. One writer at a time.
  public nonisolated(nonsending) func write(_ bytes: [UInt8]) async throws { try await pipe.write(bytes) }

  /// Cancels what is in flight; the device is closed when all of it has ended (`closed`).
  public func close() { pipe.close() }

  /// Waits until the device is closed.
  /// - Returns: false where it could not be closed in time.
  @discardableResult
  public nonisolated(nonsending) func closed() async -> Bool { await pipe.closed() }

  public var counts: USBCounts { pipe.counts }
  public var device: USBDevice { pipe.handle.device }

  deinit {
    let pipe = pipe
    pipe.loop.post { pipe.close() }
  }
}
