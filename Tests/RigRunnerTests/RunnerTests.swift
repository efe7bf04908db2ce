import RigDrivers
import RigEmulator
import RigLoop
import RigModel
import RigReport
import RigRunner
import RigTestSupport
import RigWire
import Testing

@Suite struct RunnerTests {
  @Test func aSuccessfulSession() throws {
    for seed in 1...20 as ClosedRange<UInt64> {
      let record = try Cases.record(Cases.plan(reached: .ended), seed: seed)
      #expect(record.verdict == .pass, "\(record.reason)")
      #expect(record.failurePoint == nil)
      #expect(record.reached == .ended)
      #expect(record.stages.allSatisfy { $0.outcome == .passed })
      #expect(!record.checks.flatMap(\.findings).contains { $0.severity == .error })
    }
  }

  @Test(arguments: [0, 1, 2, 3, 4]) func twentyRunsAreOne(_ n: Int) throws {
    let plans = [
      Cases.plan("success"),
      Cases.plan("hang", faults: [FaultRequest(at: .enterLiveMode, do: "hang")], failed: FailurePoint(.enterLiveMode)),
      Cases.plan(
        "reboot", faults: [FaultRequest(at: .running, do: "reboot")], failed: FailurePoint(.running),
        playFor: .seconds(5)),
      Cases.plan("damaged", faults: [FaultRequest(at: .enterLiveMode, do: "damaged-record")]),
      Cases.plan(
        "silent", faults: [FaultRequest(at: .running, do: "heartbeat-lost")], failed: .controlLink,
        playFor: .seconds(20)),
    ]
    // Alone, and beside others on the same loop.
    let alone = [Cases.scheduled(plans[n], seed: 7)]
    let first = try Cases.run(alone).log.journal
    for _ in 0..<20 { #expect(try Cases.run(alone).log.journal == first) }
    let together = plans.enumerated().map { Cases.scheduled($0.element, seed: UInt64($0.offset)) }
    let all = try Cases.run(together, jobs: n + 1).log.journal
    #expect(try Cases.run(together, jobs: n + 1).log.journal == all)
    #expect(first != (try Cases.run([Cases.scheduled(plans[n], seed: 8)]).log.journal))
  }

  /// A device that never stops to talk fills neither the memory nor the disk.
  @Test func aFloodIsKeptInPart() throws {
    let (log, _, _) = try Cases.run([Cases.scheduled(Cases.plan())]) { bench, _ in
      bench.equipped = { [unowned bench] id in
        bench.openers[id]?.incoming = { bytes in
          guard !bytes.isEmpty else { return bytes }
          let line = String(repeating: "x", count: 4_000) + "\n"
          return bytes + Array(String(repeating: line, count: 400).utf8)
        }
      }
    }
    var kept = 0
    var notes = 0
    for what in log.entries("case") {
      switch what {
      case .deviceLog(let text): kept += text.utf8.count
      case .note(let text) where text.contains("of the device's log are kept of a case"): notes += 1
      default: break
      }
    }
    #expect(kept > 2 << 20 && kept <= 4 << 20)
    #expect(notes == 1)
    let record = try #require(log.records.first)
    #expect(record.properties.contains { $0.name == "device.log" && $0.value.hasPrefix("cut: ") })
    #expect(record.verdict == .pass, "\(record.reason)")
  }

  /// A device whose events follow its reply at once, in the same read: the order of the wire is the order of the record.
  @Test func aDeviceWithoutAnyPause() throws {
    let record = try Cases.record(Cases.plan(reached: .ended)) { bench, _ in
      bench.profile.pace.between = 0...0
      bench.profile.pace.configureHotspot = 0...0
      bench.profile.pace.enterLiveMode = 0...0
      bench.profile.pace.openHotspot = 0...0
      bench.profile.pace.join = 0...0
      bench.profile.pace.address = 0...0
      bench.profile.pace.sessionStart = 0...0
      bench.profile.pace.stop = 0...0
    }
    #expect(record.verdict == .pass, "\(record.reason)")
    let began = record.stages.compactMap(\.began)
    #expect(began.count == record.stages.count)
  }

  /// An event that stands in the same read as the reply to `start` comes after it.
  @Test func theStartIsAcceptedBeforeItsFirstEvent() throws {
    let (log, _, _) = try Cases.run([Cases.scheduled(Cases.plan())]) { bench, _ in
      bench.profile.pace.between = 0...0
      bench.equipped = { [unowned bench] id in
        // The reply and the first event leave the wire together.
        var held: [UInt8] = []
        bench.openers[id]?.incoming = { bytes in
          let text = String(decoding: bytes, as: UTF8.self)
          if text.contains("accepted"), !text.contains("configureHotspotStarting") {
            held = bytes
            return []
          }
          defer { held = [] }
          return bytes.isEmpty ? [] : held + bytes
        }
      }
    }
    let entries = log.entries("case")
    let accepted = entries.firstIndex { $0 == .gate(.accepted) }
    let began = entries.firstIndex {
      if case .stageBegan(.configureHotspot, _) = $0 { true } else { false }
    }
    #expect(accepted != nil && began != nil)
    #expect((accepted ?? 0) < (began ?? 0))
    #expect(log.records.first?.verdict == .pass, "\(log.records.first?.reason ?? "")")
  }

  // MARK: The bench

  private struct NoRadio: Error, CustomStringConvertible {
    let description = "no radio is called wlan7"
  }

  /// The reports must not stay those of the run before, nor be empty.
  @Test func aBenchThatCannotBeMadeIsAnErrorOfEachCase() throws {
    var again = Cases.scheduled(Cases.plan("again"))
    again.item.plan.repetition = Repetition(.times(5))
    let cases = [Cases.scheduled(Cases.plan("a")), Cases.scheduled(Cases.plan("b"), skipped: "no such thing"), again]
    let run = try Cases.run(cases, failFast: true) { bench, _ in
      bench.prepare = { throw NoRadio() }
    }
    guard case .runStarted = run.log.events.first, case .runEnded = run.log.events.last else {
      Issue.record("the run has no beginning or no end")
      return
    }
    #expect(run.log.records.map(\.verdict) == [.error, .skip, .error])
    #expect(run.log.records.first?.reason == "precondition: no radio is called wlan7")
    #expect(run.log.records.first?.failurePoint == .rig)
    #expect(run.bench.isClosed && run.bench.devices.isEmpty)
  }

  @Test func anInterruptedPreparationBlamesNoCase() throws {
    let run = try Cases.run([Cases.scheduled(Cases.plan("a"))]) { bench, runner in
      bench.prepare = {
        await runner.interrupt("by the user")
        throw NoRadio()
      }
    }
    #expect(run.log.records.isEmpty && run.log.endedInterrupted == true)
    #expect(run.bench.isClosed)
  }

  // MARK: Preflight

  @Test func whatTheDeviceLacksIsSkipped() throws {
    let (log, _, _) = try Cases.run([Cases.scheduled(Cases.plan(needs: ["rtsp", "teleport", "smell"]))])
    let record = try #require(log.records.first)
    #expect(record.verdict == .skip)
    #expect(record.reason == "the device lacks teleport, smell")
    #expect(!log.entries("case").contains(.action("start")))
  }

  /// A fault names what it needs: the plan need not.
  @Test func aFaultThatTheDeviceCannotPerformIsSkipped() throws {
    let record = try Cases.record(
      Cases.plan("pulled", faults: [FaultRequest(at: .running, do: "unplug")], failed: .controlLink))
    #expect(record.verdict == .skip)
    #expect(
      record.reason == "the device lacks usb: unplug at running needs a device whose control link is on USB")
  }

  @Test func aModelWithoutRTSP() throws {
    @Sendable func arrange(_ bench: RunnerBench, _ runner: Runner) { bench.profile = .basic }
    let unexpected = try Cases.record(Cases.plan(), arrange)
    #expect(unexpected.verdict == .error)
    #expect(unexpected.failurePoint == FailurePoint(.preflight))
    #expect(unexpected.reason.contains("does not support RTSP"))
    let expected = try Cases.record(Cases.plan(failed: FailurePoint(.preflight)), arrange)
    #expect(expected.verdict == .pass, "\(expected.reason)")
  }

  struct Params: Sendable {
    let bitrate: Int64
    let quality: Int
    let interval: Int
    let wrong: String?
  }

  @Test(arguments: [
    Params(bitrate: 4_000_000, quality: 20, interval: 29, wrong: nil),
    Params(bitrate: 250_000, quality: 51, interval: 119, wrong: nil),
    // 0 Mbit/s is the device's default, 0 of the other is lossless: both are legal.
    Params(bitrate: 0, quality: 0, interval: 4, wrong: nil),
    Params(bitrate: 8_000_001, quality: 20, interval: 29, wrong: "bitrate 8 is outside the device's range 0.25…8"),
    Params(bitrate: 249_000, quality: 20, interval: 29, wrong: "bitrate 0.249 is outside the device's range 0.25…8"),
    Params(bitrate: 4_000_000, quality: 52, interval: 29, wrong: "qualityFactor 52 is outside the device's range 0…51"),
    Params(bitrate: 4_000_000, quality: -1, interval: 29, wrong: "qualityFactor -1 is outside the device's range 0…51"),
    Params(bitrate: 4_000_000, quality: 20, interval: 0, wrong: "iFrameInterval 0 is outside the device's range 4…119"),
  ])
  func paramsAreJudgedBeforeTheDeviceSeesThem(_ params: Params) throws {
    let stream = StreamParameters(
      bitrate: BitRate(bitsPerSecond: params.bitrate), qualityFactor: params.quality, iFrameInterval: params.interval)
    let (log, _, _) = try Cases.run([Cases.scheduled(Cases.plan(params: stream))])
    let record = try #require(log.records.first)
    guard let wrong = params.wrong else {
      #expect(record.verdict == .pass, "\(record.reason)")
      return
    }
    #expect(record.verdict == .error)
    #expect(record.failurePoint == FailurePoint(.preflight))
    #expect(record.reason.contains(wrong), "\(record.reason)")
    #expect(!log.entries("case").contains(.action("start")))
  }

  @Test func aDeviceThatCannotBeReached() throws {
    let record = try Cases.record(Cases.plan()) { bench, _ in
      bench.equipped = { [unowned bench] id in bench.openers[id]?.isUnplugged = true }
    }
    #expect(record.verdict == .error)
    #expect(record.failurePoint == FailurePoint(.preflight))
    #expect(record.reason.contains("bench:"), "\(record.reason)")
  }

  // MARK: Several cases

  private static let three = [
    Cases.scheduled(Cases.plan("one")),
    Cases.scheduled(Cases.plan("two", faults: [FaultRequest(at: .startSession, do: "refuse")])),
    Cases.scheduled(Cases.plan("three")),
  ]

  @Test func casesRunInOrder() throws {
    let (log, bench, _) = try Cases.run(Self.three)
    #expect(log.records.map(\.planned.id) == ["one", "two", "three"])
    #expect(log.records.map(\.verdict) == [.pass, .fail, .pass])
    #expect(log.endedInterrupted == false)
    #expect(bench.isClosed)
  }

  @Test func failFastStartsNoMore() throws {
    let (log, _, _) = try Cases.run(Self.three, failFast: true)
    #expect(log.records.map(\.planned.id) == ["one", "two"])
    #expect(log.endedInterrupted == false)
    var state = RunState()
    for event in log.events { state.apply(event) }
    #expect(state.units.map(\.result) == [.pass, .fail, .notStarted])
  }

  @Test func failFastLooksAtErrorsTooButNotAtSkips() throws {
    let cases = [
      Cases.scheduled(Cases.plan("skipped"), skipped: "no reason"), Cases.scheduled(Cases.plan("lost")),
      Cases.scheduled(Cases.plan("never")),
    ]
    let (log, _, _) = try Cases.run(cases, failFast: true) { bench, _ in bench.withoutDevice = ["lost"] }
    #expect(log.records.map(\.verdict) == [.skip, .error])
  }

  @Test func aSkippedCaseAndOneWithoutADeviceLeaveRecords() throws {
    let cases = [
      Cases.scheduled(Cases.plan("a"), skipped: "needs a wire"), Cases.scheduled(Cases.plan("b")),
      Cases.scheduled(Cases.plan("c")),
    ]
    let (log, _, _) = try Cases.run(cases) { bench, _ in bench.withoutDevice = ["b"] }
    #expect(log.records.map(\.verdict) == [.skip, .error, .pass])
    #expect(log.records.map(\.reason).prefix(2) == ["needs a wire", "no device for b"])
    #expect(log.records[1].failurePoint == .rig)
    #expect(log.records.allSatisfy { $0.stages.count == 12 })
  }

  @Test func aRunWithoutCases() throws {
    let (log, bench, _) = try Cases.run([])
    #expect(log.events.count == 2)
    #expect(bench.isClosed)
  }

  @Test func jobsShareTheLoop() throws {
    let cases = (0..<7).map { Cases.scheduled(Cases.plan("case-\($0)", playFor: .seconds(10)), seed: UInt64($0)) }
    let alone = try Cases.run(cases)
    let beside = try Cases.run(cases, jobs: 3)
    #expect(beside.log.records.count == 7)
    #expect(beside.log.records.allSatisfy { $0.verdict == .pass })
    #expect(Set(beside.bench.workers.values) == [0, 1, 2])
    #expect(beside.took < alone.took - .seconds(40))
    // What runs beside a case does not change it, but for the time at which it began.
    for record in alone.log.records {
      let other = try #require(beside.log.records.first { $0.planned.id == record.planned.id })
      #expect(record.stages.map(\.duration) == other.stages.map(\.duration))
      #expect(record.measurements == other.measurements)
    }
    #expect(try Cases.run(cases, jobs: 50).log.records.count == 7)
  }

  // MARK: Interrupts

  /// Whenever it comes, also between the start and its answer: records are whole, and the device is not left running.
  @Test func anInterruptLeavesWholeRecordsAndAnIdleDevice() throws {
    for ms in Array(stride(from: 0, through: 9000, by: 300)) + [1, 2, 3, 5, 8] {
      let (log, bench, _) = try Cases.run([
        Cases.scheduled(Cases.plan("one", playFor: .seconds(3))), Cases.scheduled(Cases.plan("two")),
      ]) {
        bench, runner in
        bench.loop.spawn {
          try await bench.loop.sleep(for: .milliseconds(ms))
          await runner.interrupt("Ctrl-C")
          await runner.interrupt("again")
        }
      }
      #expect(log.endedInterrupted == true, "at \(ms) ms")
      #expect(bench.isClosed)
      let last = try #require(log.records.last)
      #expect(last.verdict == .error || last.verdict == .pass, "at \(ms) ms: \(last.reason)")
      if last.verdict == .error { #expect(last.reason.contains("Ctrl-C"), "at \(ms) ms: \(last.reason)") }
      for record in log.records {
        #expect(record.stages.count == 12)
        // Only a clean-up that was cut short is left without an outcome, and then nothing passes.
        let unfinished = record.stages.filter { $0.outcome == .unfinished }.map(\.id)
        #expect(unfinished.isEmpty || unfinished == ["clean-up"] && record.verdict == .error, "at \(ms) ms")
      }
      for id in bench.devices.keys {
        #expect(try state(of: id, bench) == "idle", "at \(ms) ms: \(id) was left running")
      }
    }
  }

  /// The failure came as expected, and the clean-up after it was cut short: no pass.
  @Test func aCleanUpThatWasCutShortIsNoPass() throws {
    let plan = Cases.plan(
      faults: [FaultRequest(at: .enterLiveMode, do: "hang")], failed: FailurePoint(.enterLiveMode),
      limits: ["enter-live-mode": .seconds(2)])
    var cutShort = 0
    for ms in stride(from: 1500, through: 5000, by: 100) {
      let record = try Cases.record(plan) { bench, runner in
        bench.loop.spawn {
          try await bench.loop.sleep(for: .milliseconds(ms))
          await runner.interrupt("Ctrl-C")
        }
      }
      guard record.stages.last?.outcome == .unfinished else { continue }
      cutShort += 1
      #expect(record.verdict == .error, "at \(ms) ms: \(record.reason)")
    }
    #expect(cutShort > 3)
  }

  /// Nothing is told of a case after its record.
  @Test func aRecordIsTheLastThatIsToldOfACase() throws {
    for ms in stride(from: 0, through: 8000, by: 250) {
      let (log, _, _) = try Cases.run([Cases.scheduled(Cases.plan(playFor: .seconds(3)))]) { bench, runner in
        bench.loop.spawn {
          try await bench.loop.sleep(for: .milliseconds(ms))
          bench.openers["case"]?.incoming = { bytes in bytes.isEmpty ? [] : [0x0A] }
          await runner.interrupt("Ctrl-C")
        }
      }
      let ended = log.events.firstIndex { if case .caseEnded = $0 { true } else { false } }
      #expect(ended == log.events.count - 2, "at \(ms) ms")
    }
  }

  // MARK: The control link

  /// The link is lost in the instant of a request, before the device has it or after. Requests may be repeated, and a
  /// device that was not asked, or whose answer was lost, has refused nothing.
  @Test(arguments: ["start", "stop"], [true, false])
  func aRequestThatMeetsACutIsSentAgain(_ method: String, _ reachesTheDevice: Bool) throws {
    let (log, _, _) = try Cases.run([Cases.scheduled(Cases.plan(reached: .ended))]) { bench, _ in
      bench.equipped = { [unowned bench] id in
        guard let opener = bench.openers[id] else { return }
        var cuts = 0
        opener.outgoing = { [unowned opener] bytes in
          guard String(decoding: bytes, as: UTF8.self).contains("\"\(method)\""), cuts == 0 else { return bytes }
          cuts += 1
          if reachesTheDevice {
            bench.loop.spawn { opener.cut() }
          } else {
            opener.cut()
          }
          return bytes
        }
      }
    }
    let record = try #require(log.records.first)
    #expect(record.verdict == .pass, "\(record.reason)")
    #expect(log.entries("case").contains { if case .fact(let fact) = $0 { fact.kind == .controlLost } else { false } })
  }

  /// It does not come back: the rig's error, at no stage of the subject's.
  @Test(arguments: [0, 1000, 2500, 4000]) func aLinkThatStaysDownIsTheRigs(_ ms: Int) throws {
    let record = try Cases.record(Cases.plan(playFor: .seconds(30))) { bench, _ in
      bench.equipped = { [unowned bench] id in
        guard let opener = bench.openers[id] else { return }
        if ms > 0 {
          bench.loop.spawn {
            try await bench.loop.sleep(for: .milliseconds(ms))
            opener.isUnplugged = true
            opener.cut()
          }
        } else {
          opener.outgoing = { [unowned opener] bytes in
            if String(decoding: bytes, as: UTF8.self).contains("\"start\"") {
              opener.isUnplugged = true
              opener.cut()
            }
            return bytes
          }
        }
      }
    }
    #expect(record.verdict == .error, "\(record.reason)")
    #expect(record.failurePoint == .controlLink, "\(record.reason)")
  }

  /// The answer to `start` is slow, and the interrupt comes before it: the device must be stopped all the same.
  @Test(arguments: [true, false]) func anInterruptBeforeTheStartIsAnswered(_ isAnswered: Bool) throws {
    let (log, bench, _) = try Cases.run([Cases.scheduled(Cases.plan("one"))]) { bench, runner in
      bench.profile.pace.configureHotspot = 20_000...20_000
      bench.equipped = { [unowned bench] id in
        bench.openers[id]?.incoming = { bytes in
          if String(decoding: bytes, as: UTF8.self).contains("accepted"), !isAnswered { return [] }
          return bytes
        }
        bench.openers[id]?.outgoing = { bytes in
          // In the instant in which the request leaves.
          if String(decoding: bytes, as: UTF8.self).contains("\"start\"") {
            bench.loop.spawn { await runner.interrupt("Ctrl-C") }
          }
          return bytes
        }
      }
    }
    #expect(log.records.first?.verdict == .error)
    #expect(bench.devices.count == 1)
    #expect(try state(of: "one", bench) == "idle")
  }

  /// What the device says of itself a moment after the run.
  private func state(of id: String, _ bench: RunnerBench) throws -> String? {
    let loop = bench.loop
    return try loop.run {
      guard let opener = bench.openers[id] else { return nil }
      opener.incoming = { $0 }
      opener.outgoing = { $0 }
      try await loop.sleep(for: .milliseconds(500))
      let driver = StageLinkDriver(loop, opener) { "after" }
      _ = try await driver.open { _ in }
      let state = try await driver.call("state", [:], timeout: .seconds(2))["state"]?.string
      await driver.close()
      return state
    }
  }
}
