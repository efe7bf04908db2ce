public import RigDevice

/// Opens channels to an emulated device in the same process, for `--simulate`.
public struct MemoryOpener: ChannelOpener {
  private let accept: @Sendable (any ByteChannel) -> Bool

  /// - Parameter accept: takes the device's end; `false` while the device is down.
  public init(_ accept: @escaping @Sendable (any ByteChannel) -> Bool) { self.accept = accept }

  public var name: String { "memory" }
  public var isGuarded: Bool { false }

  public nonisolated(nonsending) func open() async throws -> any ByteChannel {
    let (mine, theirs) = MemoryChannel.pair()
    guard accept(theirs) else { throw DriverError("the device is down") }
    return mine
  }
}
