import RigDevice
import RigDrivers
import RigLoop
import RigModel
import RigTestSupport
import RigWire
import Testing

private func isLost(_ signal: DriverSignal) -> Bool { if case .controlLost = signal { true } else { false } }
private func isBack(_ signal: DriverSignal) -> Bool { if case .controlBack = signal { true } else { false } }

@Suite struct StageLinkDriverTests {
  private func onBench<R: Sendable>(
    seed: UInt64 = 1, _ body: @escaping @Sendable (DriverBench) async throws -> R
  ) throws -> R {
    let loop = VirtualLoop()
    return try loop.run {
      let bench = DriverBench(loop, seed: seed)
      defer { bench.end() }
      return try await body(bench)
    }
  }

  // MARK: Opening

  @Test func aChannelThatEndsAtOnceIsAnErrorNotAWait() throws {
    try onBench { bench in
      bench.opener.endsAtOnce = true
      await #expect(throws: DriverError.self) { try await bench.open() }
    }
  }

  @Test func aDeviceThatCannotBeReached() throws {
    try onBench { bench in
      bench.opener.isUnplugged = true
      await #expect(throws: DriverError.self) { try await bench.open() }
      #expect(bench.loop.now == .zero)
    }
  }

  @Test func aDeviceThatSaysNothing() throws {
    try onBench { bench in
      bench.opener.incoming = { _ in [] }
      await #expect(throws: DriverError.self) { try await bench.open() }
      #expect(bench.loop.now == .zero + .seconds(5))
    }
  }

  @Test func closingWhileOpening() throws {
    try onBench { bench in
      bench.opener.incoming = { _ in [] }
      let opening = bench.loop.spawn { try await bench.open() }
      try await bench.loop.sleep(for: .seconds(1))
      await bench.driver.close()
      await #expect(throws: DriverError.self) { try await opening.value }
    }
  }

  @Test func callsOutsideAConnectionFail() throws {
    try onBench { bench in
      await #expect(throws: StageLinkError.self) { try await bench.call("state") }
      try await bench.open()
      _ = try await bench.call("state")
      await bench.driver.close()
      await bench.driver.close()
      await #expect(throws: StageLinkError.self) { try await bench.call("state") }
    }
  }

  @Test func manyCallsAtOnceAreEachAnswered() throws {
    let lengths = try onBench { bench in
      try await bench.open()
      let tasks = (0..<200).map { n in
        bench.loop.spawn { try await bench.call("echo", ["len": .integer(Int64(n))])["data"]?.string?.utf8.count }
      }
      var lengths: [Int?] = []
      for task in tasks { lengths.append(try await task.value) }
      return lengths
    }
    #expect(lengths == (0..<200).map { $0 })
  }

  // MARK: Losing the link

  @Test func aCutIsHealedAndNothingIsLost() throws {
    for cut in stride(from: 50, through: 3000, by: 190) {
      let (words, gapless, names) = try onBench { bench in
        try await bench.open()
        try await bench.start()
        try await bench.loop.sleep(for: .milliseconds(cut))
        bench.opener.cut()
        _ = await bench.log.first(where: isBack)
        // The run belongs to the device: it goes on.
        for _ in 0..<100 where !bench.log.eventNames.contains("sessionStartCompletion") {
          try await bench.loop.sleep(for: .milliseconds(100))
        }
        _ = try await bench.call("stop", ["run": "r1"])
        _ = await bench.log.event("sessionFinish")
        return (bench.linkWords, bench.isGapless, bench.log.eventNames)
      }
      #expect(words == ["lost: the device closed the control connection", "back"], "cut at \(cut) ms")
      #expect(gapless, "cut at \(cut) ms")
      #expect(names.count == 10 && names.last == "sessionFinish", "cut at \(cut) ms: \(names)")
    }
  }

  @Test func aCableThatStaysOutForAWhile() throws {
    let (words, attempts) = try onBench { bench in
      try await bench.open()
      bench.opener.isUnplugged = true
      bench.opener.cut()
      try await bench.loop.sleep(for: .seconds(4))
      bench.opener.isUnplugged = false
      _ = await bench.log.first(where: isBack)
      _ = try await bench.call("state")
      return (bench.linkWords, bench.opener.attempts)
    }
    #expect(words == ["lost: the device closed the control connection", "back"])
    #expect(attempts > 10 && attempts < 25)
  }

  @Test func triesEndAfterTenSeconds() throws {
    let attempts = try onBench { bench in
      try await bench.open()
      bench.opener.isUnplugged = true
      bench.opener.cut()
      try await bench.loop.sleep(for: .seconds(60))
      await #expect(throws: StageLinkError.self) { try await bench.call("state") }
      return bench.opener.attempts
    }
    #expect(attempts > 30 && attempts < 45)
  }

  /// A port forwarder accepts and ends at once while the device is away: no reason to hammer it, or to try for ever.
  @Test func aForwarderWithoutADeviceIsNotHammered() throws {
    let attempts = try onBench { bench in
      try await bench.open()
      bench.opener.endsAtOnce = true
      bench.opener.cut()
      try await bench.loop.sleep(for: .seconds(60))
      return bench.opener.attempts
    }
    #expect(attempts > 30 && attempts < 45)
  }

  @Test func aCallThatMeetsTheCutFails() throws {
    try onBench { bench in
      try await bench.open()
      bench.opener.outgoing = { _ in [] }
      let call = bench.loop.spawn { try await bench.call("state") }
      try await bench.loop.sleep(for: .milliseconds(10))
      bench.opener.cut()
      await #expect(throws: StageLinkError.self) { try await call.value }
      #expect(bench.loop.now < .zero + .seconds(1))
    }
  }

  /// Calls and cuts in the same instant, in every order: each call ends.
  @Test func noCallIsForgotten() throws {
    for seed in 0..<40 as Range<UInt64> {
      let (asked, ended) = try onBench(seed: seed + 1) { bench in
        try await bench.open()
        let count = Counter()
        for i in 0..<60 {
          bench.loop.spawn {
            try await bench.loop.sleep(for: .milliseconds(100 * (i / 6)))
            count.asked += 1
            _ = try? await bench.call("echo", ["len": 10])
            count.ended += 1
          }
          if i % 12 == Int(seed % 12) {
            bench.loop.spawn {
              try await bench.loop.sleep(for: .milliseconds(100 * (i / 6)))
              for _ in 0..<(seed % 5) { await Task.yield() }
              bench.opener.cut()
            }
          }
        }
        try await bench.loop.sleep(for: .seconds(30))
        return (count.asked, count.ended)
      }
      #expect(asked == 60)
      #expect(ended == 60, "seed \(seed)")
    }
  }

  @Test func threeMissedHeartbeatsAreALoss() throws {
    let words = try onBench { bench in
      try await bench.open()
      bench.opener.incoming = { bytes in bytes.isEmpty ? [] : [0x0A] }
      let lost = await bench.log.first(where: isLost)
      #expect(lost != nil && bench.loop.now <= .zero + .milliseconds(4500))
      bench.opener.incoming = { $0 }
      _ = await bench.log.first(where: isBack)
      return bench.linkWords
    }
    #expect(words == ["lost: 3 heartbeats missed", "back"])
  }

  @Test func aRebootIsToldBeforeTheLinkIsBack() throws {
    let (words, run) = try onBench { bench in
      try await bench.open()
      try await bench.start()
      _ = await bench.log.event("hotspotConfigureCompletion")
      _ = try await bench.call("reset", ["level": "device"])
      _ = await bench.log.first(where: isBack)
      return (bench.linkWords, try await bench.call("state")["run"])
    }
    #expect(words == ["lost: the device closed the control connection", "rebooted", "back"])
    #expect(run == .null)
  }

  // MARK: A bad wire

  @Test func aDamagedRecordComesAgainByReplay() throws {
    let (words, gapless, names, damaged) = try onBench { bench in
      try await bench.open()
      let hit = Counter()
      bench.opener.incoming = { bytes in
        guard String(decoding: bytes, as: UTF8.self).contains("enterLiveStreamingModeStarting"), hit.asked == 0 else {
          return bytes
        }
        hit.asked = 1
        var bytes = bytes
        bytes[40] ^= 0x10
        return bytes
      }
      try await bench.start()
      _ = await bench.log.event("sessionStartCompletion")
      return (bench.linkWords, bench.isGapless, bench.log.eventNames, await bench.driver.damagedCount())
    }
    #expect(words == ["damaged: bad checksum"])
    #expect(gapless)
    #expect(names.filter { $0 == "enterLiveStreamingModeStarting" }.count == 1)
    #expect(damaged == 1)
  }

  /// One in five of everything that the device sends is swallowed, from the first event on.
  @Test(arguments: 1...10 as ClosedRange<UInt64>) func swallowedRecordsComeAgain(_ seed: UInt64) throws {
    let (gapless, names) = try onBench(seed: seed) { bench in
      try await bench.open()
      try await bench.start()
      var random = SplitMix64(seed: seed)
      bench.opener.incoming = { bytes in
        !bytes.isEmpty && Int.random(in: 0..<5, using: &random) == 0 ? [] : bytes
      }
      try await bench.loop.sleep(for: .seconds(20))
      bench.opener.incoming = { $0 }
      try await bench.loop.sleep(for: .seconds(15))
      return (bench.isGapless, bench.log.eventNames)
    }
    #expect(gapless)
    #expect(names.count == 9)
  }

  @Test func logTextBetweenRecordsIsKept() throws {
    let logs = try onBench { bench in
      try await bench.open()
      bench.opener.incoming = { bytes in bytes.isEmpty ? [] : Array("[7] wifi: beacon\r\n".utf8) + bytes }
      _ = try await bench.call("state")
      return bench.log.signals.compactMap { signal in
        if case .deviceLog(let bytes) = signal { String(decoding: bytes, as: UTF8.self) } else { nil }
      }
    }
    #expect(logs == ["[7] wifi: beacon"])
  }
}

// Unchecked: touched only on the loop's thread.
private final class Counter: @unchecked Sendable {
  var asked = 0
  var ended = 0
}
