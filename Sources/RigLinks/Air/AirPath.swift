import RigModel

/// One direction of the air: takes frames with the time at which they came, gives them back when they are due.
///
/// Pure: no clock, no descriptors. What happens to the n-th frame of a kind depends on the seed and the impairment in
/// force when it enters, not on what else is under way; only the rate limit's queue depends on time.
struct AirPath: Sendable {
  private struct Held {
    var frame: [UInt8]
    var lane: FrameDice.Lane
    var number: Int
    var copies: Int
    /// Frames of its kind that have still to overtake it.
    var overtakers: Int
    var wasOvertaken = false
    /// The latest moment: the last frame of a stream must not stay for ever.
    var until: HostTime
  }

  /// No stream that matters pauses longer than this between two packets.
  static let holdLimit: Duration = .milliseconds(100)
  /// Where nearly every frame is to be reordered there must be some left to overtake.
  static let mostHeld = 16
  /// What may be under way at once, so that a long delay of a fast flow cannot eat the memory.
  static let capacity = 64 << 20

  var impairment = Impairment.none
  var hasCarrier = true
  private(set) var counters = AirCounters()
  private var dice: FrameDice
  private var numbers: [Int]
  private var queue = AirQueue()
  private var held: [Held] = []
  /// When the rate limit has sent what it took.
  private var lineFree = HostTime(nanoseconds: .min)
  private var lastDue = HostTime(nanoseconds: .min)

  init(seed: UInt64) {
    dice = FrameDice(seed: seed)
    numbers = FrameDice.Lane.allCases.map { _ in 0 }
  }

  /// When something leaves next; `nil`: nothing is under way.
  var next: HostTime? {
    guard let release = held.lazy.map(\.until).min() else { return queue.next }
    return queue.next.map { min($0, release) } ?? release
  }

  // MARK: In

  /// A frame enters the air.
  mutating func admit(_ frame: [UInt8], at now: HostTime) {
    counters.seen += 1
    let lane = FrameDice.Lane(of: frame)
    let number = numbers[Int(lane.rawValue) - 1]
    numbers[Int(lane.rawValue) - 1] = number &+ 1
    guard hasCarrier else {
      counters.withoutCarrier += 1
      return
    }
    guard !impairment.isBlackedOut else {
      counters.blackedOut += 1
      return
    }
    func isChosen(_ question: FrameDice.Question, _ percent: Percent) -> Bool {
      percent.fraction > 0 && dice.share(question, lane, number) < percent.fraction
    }
    guard !isChosen(.loss, impairment.loss) else {
      counters.lost += 1
      return
    }
    var frame = frame
    if isChosen(.corrupt, impairment.corrupt), FrameDice.Lane.isIP(frame) { flipBit(&frame, lane, number) }
    let copies = isChosen(.duplicate, impairment.duplicate) ? 2 : 1
    if isChosen(.reorder, impairment.reorder), held.count < AirPath.mostHeld {
      held.append(
        Held(
          frame: frame, lane: lane, number: number, copies: copies,
          overtakers: 1 + Int(dice.roll(.overtakers, lane, number) % 3), until: now + AirPath.holdLimit))
      return
    }
    send(frame, copies, lane, number, at: now)
    overtake(lane, at: now)
  }

  private mutating func flipBit(_ frame: inout [UInt8], _ lane: FrameDice.Lane, _ number: Int) {
    counters.corrupted += 1
    let body = UInt64(frame.count - 14)
    frame[14 + Int(dice.roll(.position, lane, number) % body)] ^= 1 << UInt8(dice.roll(.bit, lane, number) % 8)
  }

  /// A frame of this kind has passed those that are held.
  private mutating func overtake(_ lane: FrameDice.Lane, at now: HostTime) {
    guard !held.isEmpty else { return }
    for i in held.indices where held[i].lane == lane {
      held[i].overtakers -= 1
      held[i].wasOvertaken = true
    }
    release(at: now) { $0.overtakers <= 0 }
  }

  private mutating func release(at now: HostTime, _ isReady: (Held) -> Bool) {
    let ready = held.filter(isReady)
    guard !ready.isEmpty else { return }
    held.removeAll(where: isReady)
    for one in ready {
      if one.wasOvertaken { counters.reordered += 1 }
      send(one.frame, one.copies, one.lane, one.number, at: now)
    }
  }

  private mutating func send(
    _ frame: [UInt8], _ copies: Int, _ lane: FrameDice.Lane, _ number: Int, at now: HostTime
  ) {
    for copy in 0..<copies {
      guard let sent = transmitted(frame.count, at: now), queue.bytes + frame.count <= AirPath.capacity else {
        counters.overflowed += 1
        continue
      }
      let spread = Double(clamped(impairment.jitter).nanoseconds) * (2 * dice.share(.jitter, lane, number) - 1)
      let way = Duration.nanoseconds(max(0, clamped(impairment.delay).nanoseconds + Int64(spread)))
      let due = max(sent + way, lastDue)
      lastDue = due
      if due > now { counters.delayed += 1 }
      if copy > 0 { counters.duplicated += 1 }
      queue.push(frame, due: due)
    }
  }

  /// When the last bit of a frame is on the line, at the rate in force.
  /// - Returns: `nil` where the queue in front of the line is full.
  private mutating func transmitted(_ bytes: Int, at now: HostTime) -> HostTime? {
    guard let rate = impairment.rate, rate.bitsPerSecond > 0 else {
      lineFree = now
      return now
    }
    let start = max(lineFree, now)
    let waiting = (start - now).inSeconds * Double(rate.bitsPerSecond) / 8
    guard waiting + Double(bytes) <= Double(max(impairment.queue, bytes)) else { return nil }
    let busy = min(Double(bytes) * 8e9 / Double(rate.bitsPerSecond), 6e10)
    lineFree = start + .nanoseconds(Int64(busy))
    return lineFree
  }

  /// A minute is more than any way a packet can take.
  private func clamped(_ duration: Duration) -> Duration { max(.zero, min(duration, .seconds(60))) }

  // MARK: Out

  /// The next frame that has to leave by now.
  mutating func pop(at now: HostTime) -> [UInt8]? {
    release(at: now) { $0.until <= now }
    guard let (frame, due) = queue.pop(due: now) else { return nil }
    counters.forwarded += 1
    counters.forwardedBytes += frame.count
    let late = now - due
    counters.lateness += late
    counters.worstLateness = max(counters.worstLateness, late)
    return frame
  }

  // MARK: Between cases

  mutating func countOverruns(_ frames: Int) { counters.overruns += frames }
  mutating func countRefused() { counters.refused += 1 }

  /// Drops what is under way, as a link that goes down does.
  mutating func cut() {
    let gone = held.count
    held.removeAll()
    var waiting = 0
    while queue.pop(due: HostTime(nanoseconds: .max)) != nil { waiting += 1 }
    counters.withoutCarrier += gone + waiting
    lineFree = HostTime(nanoseconds: .min)
    lastDue = HostTime(nanoseconds: .min)
  }

  /// Everything from the beginning, with another seed.
  mutating func restart(seed: UInt64) { self = AirPath(seed: seed) }
}
