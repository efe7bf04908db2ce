import RigDevice
import RigDrivers
import RigEmulator
import RigLoop
import RigTestSupport
import Testing

@Suite struct DeviceConformanceTests {
  @Test(arguments: [false, true], [1, 2, 3] as [UInt64]) func inVirtualTime(_ guarded: Bool, _ seed: UInt64) throws {
    let loop = VirtualLoop()
    let found = try loop.run {
      let bench = DeviceBench(loop, seed: seed, guarded: guarded)
      defer { bench.end() }
      return await ConformanceLines.found(loop, bench.opener)
    }
    #expect(try found == ConformanceLines.expected(over: guarded ? "serial" : "tcp"))
  }

  @Test func inAHurry() throws {
    let loop = VirtualLoop()
    let found = try loop.run {
      let bench = DeviceBench(loop, profile: .hurried)
      defer { bench.end() }
      return await ConformanceLines.found(loop, bench.opener)
    }
    #expect(try found == ConformanceLines.expected(over: "tcp"))
  }

  /// Bytes come one at a time, and in lumps.
  @Test(arguments: [1, 3, 100]) func whateverTheReadsAre(_ size: Int) throws {
    let loop = VirtualLoop()
    let found = try loop.run {
      let bench = DeviceBench(loop)
      defer { bench.end() }
      let device = bench.device
      return await ConformanceLines.found(
        loop, PieceOpener(size: size) { channel in device.assumeIsolated { $0.accept(channel) } })
    }
    #expect(try found == ConformanceLines.expected(over: "tcp"))
  }
}

/// A wire that cuts what the device sends into pieces.
private struct PieceOpener: ChannelOpener {
  let size: Int
  let accept: @Sendable (any ByteChannel) -> Bool
  var name: String { "pieces of \(size)" }
  var isGuarded: Bool { false }

  nonisolated(nonsending) func open() async throws -> any ByteChannel {
    let (mine, theirs) = MemoryChannel.pair()
    guard accept(theirs) else { throw DriverError("down") }
    return Pieces(size: size, channel: mine)
  }

  // Unchecked: touched only on the loop's thread.
  private final class Pieces: ByteChannel, @unchecked Sendable {
    let size: Int
    let channel: MemoryChannel
    var rest: ArraySlice<UInt8> = []
    init(size: Int, channel: MemoryChannel) {
      self.size = size
      self.channel = channel
    }
    nonisolated(nonsending) func read() async throws -> [UInt8] {
      if rest.isEmpty { rest = try await channel.read()[...] }
      defer { rest = rest.dropFirst(size) }
      return Array(rest.prefix(size))
    }
    nonisolated(nonsending) func write(_ bytes: [UInt8]) async throws {
      for byte in bytes { try await channel.write([byte]) }
    }
    func close() { channel.close() }
  }
}
