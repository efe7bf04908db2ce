import RigLoop

/// One end of a pair of byte channels in memory, on one loop: what `--simulate` and tests use instead of a wire.
// Unchecked: touched only on the loop's thread.
public final class MemoryChannel: ByteChannel, @unchecked Sendable {
  private var received: [UInt8] = []
  private var isEnded = false
  private var reader: UnsafeContinuation<Void, Never>?
  private weak var peer: MemoryChannel?

  private init() {}

  /// Two ends; what is written to one is read from the other.
  public static func pair() -> (MemoryChannel, MemoryChannel) {
    let a = MemoryChannel()
    let b = MemoryChannel()
    a.peer = b
    b.peer = a
    return (a, b)
  }

  public nonisolated(nonsending) func read() async throws -> [UInt8] {
    // The look and the wait are one step: the call to wait may let other jobs run before its closure does.
    await withUnsafeContinuation { (k: UnsafeContinuation<Void, Never>) in
      if received.isEmpty, !isEnded { reader = k } else { k.resume() }
    }
    let bytes = received
    received = []
    return bytes
  }

  public nonisolated(nonsending) func write(_ bytes: [UInt8]) async throws {
    guard !isEnded, let peer else { throw SystemError("write", code: 32) }
    peer.deliver(bytes)
  }

  private func deliver(_ bytes: [UInt8]) {
    received += bytes
    wake()
  }

  private func wake() {
    let waiting = reader
    reader = nil
    waiting?.resume()
  }

  public func close() {
    guard !isEnded else { return }
    isEnded = true
    peer?.isEnded = true
    peer?.wake()
    wake()
  }
}
