import RigModel
import RigWire
import Testing

/// A device's clock, and a path to it, as the truth that `ClockSync` must not contradict.
private struct Truth {
  var offset: Double
  var partsPerMillion: Double
  func device(_ host: HostTime) -> Int64 {
    Int64((Double(host.nanoseconds) * (1 + partsPerMillion * 1e-6) / 1000 + offset * 1e6).rounded(.down))
  }
}

@Suite struct StageLinkClockTests {
  /// Pings as the host sends them for `seconds`, with events between whose true time must lie inside the error.
  private func violations(
    seed: UInt64, ppm: Double, seconds: Int, there: ClosedRange<Int64>, back: ClosedRange<Int64>
  ) -> (outside: Int, judged: Int, sync: ClockSync) {
    var random = SplitMix64(seed: seed)
    let truth = Truth(offset: Double.random(in: -3600...86400, using: &random), partsPerMillion: ppm)
    var sync = ClockSync()
    var now = HostTime(nanoseconds: 7_000_000_000_000)
    let begin = now
    var outside = 0
    var judged = 0
    func ping() {
      let sent = now
      let arrived = now + .microseconds(Int64.random(in: there, using: &random))
      let answered = arrived + .microseconds(Int64.random(in: 0...500, using: &random))
      now = answered + .microseconds(Int64.random(in: back, using: &random))
      sync.add(sent: sent, d1: truth.device(arrived), d2: truth.device(answered), received: now)
    }
    for _ in 0..<8 { ping() }
    var next = now + .seconds(5)
    while now - begin < .seconds(seconds) {
      now = now + .milliseconds(Int64.random(in: 50...900, using: &random))
      let device = truth.device(now)
      if let host = sync.hostTime(deviceTime: device), let error = sync.error(deviceTime: device) {
        judged += 1
        if (host.nanoseconds - now.nanoseconds).magnitude > UInt64(error.nanoseconds) { outside += 1 }
      }
      if now >= next {
        ping()
        next = now + .seconds(5)
      }
    }
    return (outside, judged, sync)
  }

  @Test(arguments: 1...12 as ClosedRange<UInt64>, [0, 50, -80] as [Double])
  func theTrueTimeLiesInsideTheError(_ seed: UInt64, _ ppm: Double) {
    let random = violations(seed: seed, ppm: ppm, seconds: 120, there: 100...20_000, back: 100...20_000)
    #expect(random.judged > 200)
    #expect(random.outside == 0)
    // One direction is slow, then sometimes the other: the worst that a path can do to an offset.
    let uneven = violations(seed: seed, ppm: ppm, seconds: 120, there: 100...200, back: 5_000...9_000)
    #expect(uneven.outside == 0)
    let quick = violations(seed: seed, ppm: ppm, seconds: 120, there: 20...60, back: 20...60)
    #expect(quick.outside == 0)
    #expect((quick.sync.error ?? .seconds(1)) < .microseconds(200))
  }

  /// The first pings are slow on the way there, the later ones on the way back: a naive line through two samples
  /// would lean by twice the round trip.
  @Test func asymmetryThatTurnsRound() {
    var sync = ClockSync()
    let truth = Truth(offset: 10, partsPerMillion: 0)
    func ping(at seconds: Double, there: Int64, back: Int64) {
      let sent = HostTime(nanoseconds: Int64(seconds * 1e9))
      let arrived = sent + .milliseconds(there)
      let received = arrived + .milliseconds(back)
      sync.add(sent: sent, d1: truth.device(arrived), d2: truth.device(arrived), received: received)
    }
    ping(at: 0, there: 20, back: 0)
    ping(at: 5, there: 0, back: 20)
    for seconds in [1, 4, 6, 9, 12, 20] {
      let real = HostTime(nanoseconds: Int64(seconds) * 1_000_000_000)
      let device = truth.device(real)
      let host = sync.hostTime(deviceTime: device) ?? .zero
      let error = sync.error(deviceTime: device) ?? .zero
      #expect((host.nanoseconds - real.nanoseconds).magnitude <= UInt64(error.nanoseconds), "at \(seconds) s")
      #expect(error < .milliseconds(60), "at \(seconds) s")
    }
  }

  @Test(arguments: [50, -50, 20] as [Double]) func driftIsFound(_ ppm: Double) {
    let run = violations(seed: 3, ppm: ppm, seconds: 600, there: 200...600, back: 200...600)
    #expect((run.sync.drift * 1e6 - ppm).magnitude < 3)
    #expect(run.outside == 0)
  }

  @Test func nothingIsKnownBeforeTheFirstAnswer() {
    let sync = ClockSync()
    #expect(!sync.isSynchronized)
    #expect(sync.error == nil)
    #expect(sync.hostTime(deviceTime: 5) == nil)
    #expect(sync.error(deviceTime: 5) == nil)
  }

  @Test func nonsenseIsIgnored() {
    let ms: Int64 = 1_000_000
    func at(_ n: Int64) -> HostTime { HostTime(nanoseconds: n * ms) }
    var sync = ClockSync()
    func good(_ n: Int64) { sync.add(sent: at(n), d1: n * 1000 + 1000, d2: n * 1000 + 1000, received: at(n + 2)) }
    good(0)
    let error = sync.error
    // Backwards; out of every range; a stay in the device longer than the whole round trip.
    sync.add(sent: at(10), d1: 20_000, d2: 10_000, received: at(12))
    sync.add(sent: at(12), d1: 11_000, d2: 11_000, received: at(10))
    for wild in [Int64.max, .min, 1 << 53, -(1 << 53), 1 << 52] {
      sync.add(sent: at(10), d1: wild, d2: wild, received: at(12))
      sync.add(sent: at(10), d1: 0, d2: wild, received: at(12))
    }
    sync.add(sent: at(10), d1: 0, d2: 900_000, received: at(12))
    #expect(sync.error == error)
    #expect(sync.hostTime(deviceTime: 50_000) == at(50 - 0))
    // One answer from another world changes nothing that lasts.
    for n in stride(from: Int64(5000), through: 30_000, by: 5000) {
      if n == 15_000 {
        sync.add(sent: at(n), d1: 99_000_000_000, d2: 99_000_000_000, received: at(n + 2))
      } else {
        good(n)
      }
    }
    #expect(sync.drift.magnitude < 1e-6)
    #expect(sync.hostTime(deviceTime: 31_000_000) == at(31_000))
    #expect(sync.hostTime(deviceTime: .max) == nil)
    #expect(sync.hostTime(deviceTime: .min) == nil)
  }

  @Test func aClockThatWasSetIsFollowed() {
    var sync = ClockSync()
    for n in 0..<20 {
      let host = HostTime(nanoseconds: Int64(n) * 5_000_000_000)
      let device = Int64(n) * 5_000_000 + (n < 10 ? 0 : 3_600_000_000)
      sync.add(sent: host, d1: device, d2: device, received: host)
    }
    let late = sync.hostTime(deviceTime: 96_000_000 + 3_600_000_000)
    #expect(late == HostTime(nanoseconds: 96_000_000_000))
  }

  @Test func extremeHostTimesDoNotTrap() {
    for host in [Int64.max - 5_000_000, 9_007_199_254_740_993_001, 0, -5, .min + 5_000_000] as [Int64] {
      var sync = ClockSync()
      for device in [0, 1 << 51, -(1 << 51), (1 << 51) - 1, 1 - (1 << 51)] as [Int64] {
        for step in [0, 1, 4_000_000] as [Int64] {
          let sent = HostTime(nanoseconds: host)
          sync.add(sent: sent, d1: device, d2: device, received: sent + .nanoseconds(step))
          _ = sync.hostTime(deviceTime: device)
          _ = sync.error(deviceTime: -device)
        }
      }
    }
  }
}
