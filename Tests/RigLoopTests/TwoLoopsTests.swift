import RigLoop
import RigModel
import Testing

/// Tasks of one loop that call actors of another: their waits belong to the other loop's thread.
@Suite struct TwoLoopsTests {
  private actor Sleeper {
    let loop: EpollLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private(set) var naps = 0
    init(_ loop: EpollLoop) { self.loop = loop }

    func nap() async throws {
      try await loop.sleep(for: .microseconds(20))
      naps += 1
    }

    /// Keeps the loop's own timers moving.
    func tick(_ times: Int) async throws { for _ in 0..<times { try await loop.sleep(for: .microseconds(15)) } }
  }

  @Test func aTaskOfOneLoopSleepsOnAnother() throws {
    let thread = try LoopThread()
    let other = thread.loop
    let loop = try EpollLoop()
    let rounds = 3_000
    let sleeper = Sleeper(other)
    let ticking = other.spawn { try await sleeper.tick(rounds) }
    let naps = try loop.run {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<4 {
          group.addTask(executorPreference: loop) { for _ in 0..<rounds { try await sleeper.nap() } }
        }
        try await group.waitForAll()
      }
      _ = await ticking.result
      return await sleeper.naps
    }
    #expect(naps == 4 * rounds)
    thread.stop()
  }

  private actor Reader {
    let loop: EpollLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    init(_ loop: EpollLoop) { self.loop = loop }

    func echo(_ rounds: Int) async throws -> Int {
      let any = try #require(SocketAddress(host: "127.0.0.1", port: 0))
      let listener = try TCPListener(loop, on: any)
      let (loop, address) = (loop, listener.address)
      loop.spawn {
        guard let peer = try await listener.accept() else { return }
        while case let bytes = try await peer.read(), !bytes.isEmpty { try await peer.write(bytes) }
        peer.close()
      }
      let stream = try await ByteStream.connect(loop, to: address, timeout: .seconds(30))
      var count = 0
      for i in 0..<rounds {
        try await stream.write([UInt8(truncatingIfNeeded: i)])
        count += try await stream.read() == [UInt8(truncatingIfNeeded: i)] ? 1 : 0
      }
      stream.close()
      listener.close()
      return count
    }
  }

  @Test func aTaskOfOneLoopReadsOnAnother() throws {
    let thread = try LoopThread()
    let loop = try EpollLoop()
    let reader = Reader(thread.loop)
    #expect(try loop.run { try await reader.echo(2_000) } == 2_000)
    thread.stop()
  }
}
