import RigModel
import Testing

@testable import RigLinks

@Suite struct AirPathTests {
  /// Four standard deviations of a binomial share around `percent`: with fixed seeds this never changes.
  private func expectShare(
    _ count: Int, of total: Int, _ percent: Double, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let p = percent / 100
    let bound = 4 * (p * (1 - p) / Double(total)).squareRoot()
    let share = Double(count) / Double(total)
    #expect(abs(share - p) <= bound, "\(share) instead of \(p) ± \(bound)", sourceLocation: sourceLocation)
  }

  @Test func withoutImpairmentEverythingPassesAtOnceAndInOrder() {
    var path = AirPath(.none)
    path.admit(Frames.udp(1), at: .ms(5))
    path.admit(Frames.udp(2), at: .ms(5))
    #expect(path.next == .ms(5))
    #expect(path.pop(at: .ms(5)).map(Frames.mark) == 1)
    #expect(path.pop(at: .ms(5)).map(Frames.mark) == 2)
    #expect(path.pop(at: .ms(5)) == nil)
    #expect(path.next == nil)
    #expect(path.counters.seen == 2 && path.counters.forwarded == 2 && path.counters.delayed == 0)
  }

  @Test(arguments: [1, 2, 3] as [UInt64]) func lossIsTheShareAskedFor(seed: UInt64) {
    var path = AirPath(Impairment(loss: .of(7)), seed: seed)
    let passed = path.send(20_000)
    #expect(path.counters.lost + passed.count == 20_000)
    expectShare(path.counters.lost, of: 20_000, 7)
  }

  @Test func oneSeedLosesTheSameFramesAndAnotherOneOthers() {
    func passed(_ seed: UInt64) -> [Int] {
      var path = AirPath(Impairment(loss: .of(30)), seed: seed)
      return path.send(500)
    }
    #expect(passed(9) == passed(9))
    #expect(passed(9) != passed(10))
  }

  @Test func otherTrafficDoesNotChangeWhichFramesAreLost() {
    var quiet = AirPath(Impairment(loss: .of(30)))
    var busy = AirPath(Impairment(loss: .of(30)))
    let alone = quiet.send(300)
    for i in 0..<300 {
      busy.admit(Frames.arp, at: .ms(Double(i)))
      if i % 3 == 0 { busy.admit(Frames.tcp(7000), at: .ms(Double(i))) }
      busy.admit(Frames.udp(i), at: .ms(Double(i)))
    }
    let among = busy.drain(until: .ms(1e6)).map(\.frame).filter { FrameDice.Lane(of: $0) == .udp }.map(Frames.mark)
    #expect(among == alone)
  }

  @Test func aHigherLossLosesWhatALowerOneLosesAndMore() {
    var low = AirPath(Impairment(loss: .of(5)))
    var high = AirPath(Impairment(loss: .of(20), delay: .milliseconds(3), duplicate: .of(10)))
    let kept = Set(high.send(2000))
    let keptByLow = Set(low.send(2000))
    #expect(kept.count < keptByLow.count)
    #expect(kept.subtracting(keptByLow).count == 0)
  }

  @Test func delayIsAddedToEveryFrame() {
    var path = AirPath(Impairment(delay: .milliseconds(40)))
    for i in 0..<10 { path.admit(Frames.udp(i), at: .ms(Double(i))) }
    let out = path.drain(until: .ms(1000))
    #expect(out.map(\.at) == (0..<10).map { .ms(Double($0) + 40) })
    #expect(path.counters.delayed == 10)
  }

  @Test func jitterIsSpreadEvenlyAroundTheDelay() {
    var path = AirPath(Impairment(delay: .milliseconds(20), jitter: .milliseconds(8)))
    var ways: [Double] = []
    for i in 0..<4000 {
      let sent = HostTime.ms(Double(i) * 50)
      path.admit(Frames.udp(i), at: sent)
      ways += path.drain(until: sent + .milliseconds(49)).map { ($0.at - sent).inSeconds * 1000 }
    }
    #expect(ways.count == 4000)
    #expect(ways.allSatisfy { $0 >= 12 && $0 <= 28 })
    let mean = ways.reduce(0, +) / 4000
    // A uniform spread has a deviation of 8 / sqrt 3; its mean over 4000 frames one of 0.073.
    #expect(abs(mean - 20) < 4 * 0.073)
    #expect((ways.min() ?? 99) < 12.1 && (ways.max() ?? 0) > 27.9)
  }

  @Test func jitterNeverReorders() {
    var path = AirPath(Impairment(delay: .milliseconds(20), jitter: .milliseconds(20)))
    #expect(path.send(3000) == Array(0..<3000))
  }

  @Test func aShorterDelayLaterDoesNotOvertakeALongerOneBefore() {
    var path = AirPath(Impairment(delay: .milliseconds(100)))
    path.admit(Frames.udp(0), at: .zero)
    path.impairment = .none
    path.admit(Frames.udp(1), at: .ms(1))
    #expect(path.drain(until: .ms(500)).map { Frames.mark($0.frame) } == [0, 1])
  }

  @Test func reorderedFramesAreOvertakenByOneToThree() {
    var path = AirPath(Impairment(reorder: .of(4)))
    let out = path.send(10_000)
    #expect(out.sorted() == Array(0..<10_000))
    var largest = -1
    var late = 0
    for number in out {
      if number < largest {
        late += 1
        #expect(largest - number <= 3 + AirPath.mostHeld)
      }
      largest = max(largest, number)
    }
    #expect(late == path.counters.reordered)
    expectShare(late, of: 10_000, 4)
  }

  @Test func theLastFrameOfAStreamIsNotHeldForEver() {
    var path = AirPath(Impairment(reorder: .of(100)))
    path.admit(Frames.udp(1), at: .zero)
    #expect(path.next == HostTime.zero + AirPath.holdLimit)
    #expect(path.drain(until: .ms(99)).isEmpty)
    #expect(path.drain(until: .ms(100)).count == 1)
    #expect(path.counters.reordered == 0)
  }

  @Test func whereEverythingIsReorderedNothingIsHeldWithoutBound() {
    var path = AirPath(Impairment(reorder: .of(100)))
    for i in 0..<1000 { path.admit(Frames.udp(i), at: .zero) }
    #expect(path.drain(until: .zero).count >= 1000 - AirPath.mostHeld)
    #expect(path.drain(until: .ms(200)).count <= AirPath.mostHeld)
    #expect(path.counters.forwarded == 1000)
  }

  @Test func aCopyFollowsItsOriginal() {
    var path = AirPath(Impairment(duplicate: .of(10)))
    let out = path.send(10_000)
    #expect(out.count == 10_000 + path.counters.duplicated)
    #expect(out == out.sorted())
    expectShare(path.counters.duplicated, of: 10_000, 10)
  }

  @Test func oneBitIsFlippedBehindTheEthernetHeader() {
    var path = AirPath(Impairment(corrupt: .of(25)))
    let frame = Frames.udp(0)
    var damaged = 0
    var places: Set<Int> = []
    for i in 0..<4000 {
      path.admit(frame, at: .ms(Double(i)))
      for (out, _) in path.drain(until: .ms(Double(i))) where out != frame {
        damaged += 1
        let different = zip(out, frame).enumerated().filter { $0.element.0 != $0.element.1 }
        #expect(different.count == 1)
        if let (offset, pair) = different.first {
          #expect(offset >= 14)
          #expect((pair.0 ^ pair.1).nonzeroBitCount == 1)
          places.insert(offset)
        }
      }
    }
    #expect(damaged == path.counters.corrupted)
    expectShare(damaged, of: 4000, 25)
    #expect(places.count > 90)
  }

  @Test func addressResolutionIsNeverCorrupted() {
    var path = AirPath(Impairment(corrupt: .of(100)))
    path.admit(Frames.arp, at: .zero)
    #expect(path.pop(at: .zero) == Frames.arp)
    #expect(path.counters.corrupted == 0)
  }

  @Test func framesLeaveAtTheRateAskedFor() {
    // 114 bytes are 912 bits: 912 µs at 1 Mbit/s.
    var path = AirPath(Impairment(rate: BitRate(bitsPerSecond: 1_000_000)))
    for i in 0..<100 { path.admit(Frames.udp(i), at: .zero) }
    let out = path.drain(until: .ms(1000))
    #expect(out.map(\.at) == (1...100).map { HostTime(nanoseconds: Int64($0) * 912_000) })
    // An idle line owes nothing.
    path.admit(Frames.udp(100), at: .ms(500))
    #expect(path.next == .ms(500.912))
  }

  @Test func whatFindsTheQueueFullIsDropped() {
    var path = AirPath(Impairment(rate: BitRate(bitsPerSecond: 1_000_000), queue: 1140))
    for i in 0..<30 { path.admit(Frames.udp(i), at: .zero) }
    #expect(path.counters.overflowed == 20)
    #expect(path.drain(until: .ms(1000)).map { Frames.mark($0.frame) } == Array(0..<10))
  }

  @Test func aFrameLargerThanTheQueueStillPassesAnIdleLine() {
    var path = AirPath(Impairment(rate: BitRate(bitsPerSecond: 1_000_000), queue: 10))
    path.admit(Frames.udp(0, size: 1400), at: .zero)
    #expect(path.drain(until: .ms(1000)).count == 1)
  }

  @Test func whatIsUnderWayIsBounded() {
    var path = AirPath(Impairment(delay: .seconds(60)))
    let frame = Frames.udp(0, size: 60_000)
    for _ in 0..<2000 { path.admit(frame, at: .zero) }
    #expect(path.counters.overflowed > 800)
    #expect(path.counters.overflowed + path.counters.delayed == 2000)
  }

  @Test func nothingPassesABlackout() {
    var path = AirPath(Impairment(isBlackedOut: true))
    for i in 0..<10 { path.admit(Frames.udp(i), at: .zero) }
    #expect(path.next == nil)
    #expect(path.counters.blackedOut == 10)
    path.impairment = .none
    path.admit(Frames.udp(10), at: .ms(1))
    #expect(path.drain(until: .ms(1)).map { Frames.mark($0.frame) } == [10])
  }

  @Test func aLostCarrierTakesWhatIsUnderWay() {
    var path = AirPath(Impairment(delay: .milliseconds(50)))
    for i in 0..<5 { path.admit(Frames.udp(i), at: .zero) }
    path.hasCarrier = false
    path.cut()
    path.admit(Frames.udp(5), at: .ms(1))
    #expect(path.next == nil)
    #expect(path.counters.withoutCarrier == 6)
    path.hasCarrier = true
    path.admit(Frames.udp(6), at: .ms(2))
    #expect(path.drain(until: .ms(52)).map { Frames.mark($0.frame) } == [6])
  }

  @Test func everyFrameIsAccountedFor() {
    var path = AirPath(
      Impairment(
        loss: .of(10), delay: .milliseconds(5), jitter: .milliseconds(3), reorder: .of(10), duplicate: .of(10),
        corrupt: .of(10), rate: BitRate(bitsPerSecond: 900_000), queue: 2000), seed: 77)
    let out = path.send(5000)
    let c = path.counters
    #expect(out.count == c.forwarded)
    #expect(c.seen == 5000)
    // A copy for which there was no room is an overflow as well.
    #expect(c.forwarded >= c.seen - c.lost - c.overflowed)
    #expect(c.lost > 0 && c.overflowed > 0 && c.reordered > 0 && c.duplicated > 0 && c.corrupted > 0)
  }

  @Test func latenessIsWhatTheCallerWasLate() {
    var path = AirPath(Impairment(delay: .milliseconds(10)))
    path.admit(Frames.udp(0), at: .zero)
    #expect(path.pop(at: .ms(10.4)) != nil)
    #expect(path.counters.worstLateness == .microseconds(400))
  }

  @Test func absurdNumbersDoNotTrap() {
    var path = AirPath(
      Impairment(
        loss: Percent(fraction: -.infinity), delay: .seconds(Int64.max), jitter: .seconds(-5),
        reorder: Percent(fraction: .nan), rate: BitRate(bitsPerSecond: 1), queue: -1))
    path.admit([], at: .zero)
    path.admit([1, 2, 3], at: .zero)
    path.admit(Frames.udp(0), at: HostTime(nanoseconds: .max))
    path.impairment.rate = BitRate(bitsPerSecond: -4)
    path.admit(Frames.udp(0), at: .zero)
    while path.pop(at: HostTime(nanoseconds: .max)) != nil {}
    #expect(path.counters.seen == 4)
  }
}
