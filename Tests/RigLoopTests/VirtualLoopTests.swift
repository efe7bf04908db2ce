import RigLoop
import RigModel
import Testing

private actor Log {
  let loop: Loop
  var lines: [String] = []
  init(_ loop: Loop) { self.loop = loop }
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  func add(_ line: String) { lines.append(line) }
}

@Suite struct VirtualLoopTests {
  private func scenario() throws -> [String] {
    let loop = VirtualLoop()
    return try loop.run {
      let log = Log(loop)
      await withTaskGroup(of: Void.self) { group in
        for i in 0..<20 {
          group.addTask(executorPreference: loop) {
            for k in 0..<10 {
              try? await loop.sleep(for: .seconds(30 + (i * 7 + k * 3) % 11))
              await log.add("\(i).\(k)@\(loop.now)")
            }
          }
        }
      }
      return await log.lines
    }
  }

  @Test func manyTasksGiveOneOrder() throws {
    let first = try scenario()
    #expect(first.count == 200)
    for _ in 0..<50 { #expect(try scenario() == first) }
  }

  @Test func aStuckTaskIsFoundNotWaitedFor() {
    #expect(throws: LoopStalled.self) {
      try VirtualLoop().run { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
    }
  }

  @Test func cancellingASleeperWakesItAtOnce() throws {
    let loop = VirtualLoop()
    let (cancelled, when) = try loop.run {
      let task = loop.spawn { try await loop.sleep(for: .seconds(100)) }
      try await loop.sleep(for: .seconds(1))
      task.cancel()
      let result = await task.result
      return ((try? result.get()) == nil, loop.now)
    }
    #expect(cancelled)
    #expect(when == .zero + .seconds(1))
  }

  @Test func equalDeadlinesFireInTheOrderTheyWereSet() throws {
    let loop = VirtualLoop()
    let order = try loop.run {
      let log = Log(loop)
      for i in 0..<5 {
        _ = loop.schedule(at: .zero + .seconds(1)) { loop.spawn { await log.add("\(i)") } }
      }
      let cancelled = loop.schedule(at: .zero + .seconds(1)) { loop.spawn { await log.add("never") } }
      loop.cancel(cancelled)
      try await loop.sleep(for: .seconds(2))
      return await log.lines
    }
    #expect(order == ["0", "1", "2", "3", "4"])
  }
}
