public import RigDevice
import RigLoop

/// Opens memory channels to a device, and lets a test do to them what happens to wires.
// Unchecked: touched only on the loop's thread.
public final class BenchOpener: ChannelOpener, @unchecked Sendable {
  public let name = "bench"
  public let isGuarded: Bool
  private let accept: @Sendable (any ByteChannel) -> Bool
  private var present: MemoryChannel?
  /// What the harness writes and reads passes through here.
  public var outgoing: ([UInt8]) -> [UInt8] = { $0 }
  public var incoming: ([UInt8]) -> [UInt8] = { $0 }
  /// Attempts to open fail.
  public var isUnplugged = false
  /// Channels open, and end before a byte has passed, as a port forwarder's do while the device is away.
  public var endsAtOnce = false
  public private(set) var attempts = 0

  public init(guarded: Bool = false, _ accept: @escaping @Sendable (any ByteChannel) -> Bool) {
    isGuarded = guarded
    self.accept = accept
  }

  public nonisolated(nonsending) func open() async throws -> any ByteChannel {
    attempts += 1
    guard !isUnplugged else { throw SystemError("open", code: 19, on: name) }
    let (mine, theirs) = MemoryChannel.pair()
    if endsAtOnce {
      theirs.close()
      return mine
    }
    guard accept(theirs) else { throw SystemError("open", code: 111, on: name) }
    present = mine
    return Tap(opener: self, channel: mine)
  }

  /// The cable is pulled out, and plugged in again at once.
  public func cut() { present?.close() }

  private struct Tap: ByteChannel {
    let opener: BenchOpener
    let channel: MemoryChannel
    nonisolated(nonsending) func read() async throws -> [UInt8] {
      while true {
        let bytes = try await channel.read()
        let passed = opener.incoming(bytes)
        // Nothing at all is the end; something that was swallowed is not.
        if bytes.isEmpty || !passed.isEmpty { return passed }
      }
    }
    nonisolated(nonsending) func write(_ bytes: [UInt8]) async throws {
      try await channel.write(opener.outgoing(bytes))
    }
    func close() { channel.close() }
  }
}
