public import RigLoop
public import RigModel

/// Carries Ethernet frames between the two sides of a link, and impairs them on the way.
///
/// One thread, its loop and this actor do nothing else, so that an added delay is met within a fraction of a
/// millisecond on an idle machine. Everything may be changed at any time; it acts on frames that enter afterwards.
public actor AirRelay {
  private let loop: EpollLoop
  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  private let station: AirPort
  private let device: AirPort
  private var down: AirPath
  private var up: AirPath
  private var schedule = AirSchedule()
  private var hasCarrier = true
  private var wakeAt: HostTime?
  private var timer: TimerID?
  private var changeTimer: TimerID?
  private var isOpen = true
  /// Counters of both directions at the beginning and the end of each scheduled effect.
  private var windows: [AirWindow] = []
  /// The first thing that the kernel refused.
  public private(set) var problem: SystemError?

  init(_ loop: EpollLoop, station: AirPort, device: AirPort, seed: UInt64) {
    self.loop = loop
    self.station = station
    self.device = device
    down = AirPath(seed: AirRelay.seed(seed, .down))
    up = AirPath(seed: AirRelay.seed(seed, .up))
  }

  private static func seed(_ seed: UInt64, _ direction: AirDirection) -> UInt64 {
    direction == .down ? seed : ~seed
  }

  // MARK: Settings

  /// What holds from now on, where no scheduled effect says otherwise.
  public func impair(_ directions: Set<AirDirection>, _ impairment: Impairment) {
    for direction in directions { schedule.standing[direction] = impairment }
    applySchedule()
  }

  /// Lays `effect` over the standing impairment from a host time on.
  /// - Parameter duration: `nil`: until the next case.
  /// - Returns: its place in `effects()`.
  @discardableResult
  public func plan(
    _ effect: AirEffect, _ directions: Set<AirDirection> = Set(AirDirection.allCases), at time: HostTime,
    for duration: Duration? = nil
  ) -> Int {
    let entry = AirSchedule.Entry(effect, directions, from: time, until: duration.map { time + $0 })
    schedule.add(entry)
    windows.append(AirWindow(entry))
    applySchedule()
    return windows.count - 1
  }

  /// Everything from the beginning: no impairment, no schedule, counters at zero, and the decisions of `seed`.
  public func restart(seed: UInt64) {
    schedule = AirSchedule()
    windows = []
    _ = station.overruns()
    _ = device.overruns()
    down.restart(seed: AirRelay.seed(seed, .down))
    up.restart(seed: AirRelay.seed(seed, .up))
    applySchedule()
  }

  // MARK: Findings

  public func counters(_ direction: AirDirection) -> AirCounters {
    countOverruns()
    return direction == .down ? down.counters : up.counters
  }

  /// What was scheduled, and what became of it: the proof that an effect acted.
  public func effects() -> [AirWindow] {
    countOverruns()
    return windows.map { $0.seen(down.counters, up.counters, at: loop.now) }
  }

  private func countOverruns() {
    down.countOverruns(device.overruns())
    up.countOverruns(station.overruns())
  }

  // MARK: Frames

  /// Forwards until `close`.
  func run() {
    loop.spawn { try await self.forward(.down) }
    loop.spawn { try await self.forward(.up) }
  }

  func close() {
    isOpen = false
    for id in [timer, changeTimer].compactMap({ $0 }) { loop.cancel(id) }
    loop.unwatch(station.fd)
    loop.unwatch(device.fd)
  }

  private func forward(_ direction: AirDirection) async throws {
    let port = direction == .down ? device : station
    try loop.watch(port.fd)
    while isOpen {
      if !drain(port, direction) {
        // A busy side must not keep the other one, or what is due, waiting.
        deliver()
        await Task.yield()
        continue
      }
      deliver()
      try await loop.readable(port.fd)
    }
  }

  /// - Returns: false where more is waiting.
  private func drain(_ port: AirPort, _ direction: AirDirection) -> Bool {
    for _ in 0..<64 {
      switch port.read() {
      case .frame(let frame):
        let now = loop.now
        if direction == .down { down.admit(frame, at: now) } else { up.admit(frame, at: now) }
      case .nothing, .down: return true
      }
    }
    return false
  }

  /// Sends what is due, and sets the timer for what comes next.
  private func deliver() {
    guard isOpen else { return }
    let now = loop.now
    while let frame = down.pop(at: now) { if !station.write(frame) { down.countRefused() } }
    while let frame = up.pop(at: now) { if !device.write(frame) { up.countRefused() } }
    let next = [down.next, up.next].compactMap { $0 }.min()
    guard next != wakeAt else { return }
    if let timer { loop.cancel(timer) }
    wakeAt = next
    timer = next.map { time in
      loop.schedule(at: time) { self.assumeIsolated { $0.timerFired() } }
    }
  }

  private func timerFired() {
    timer = nil
    wakeAt = nil
    deliver()
  }

  // MARK: Time

  /// Puts in force what holds now, and comes back when that changes.
  private func applySchedule() {
    let now = loop.now
    down.impairment = schedule.impairment(.down, at: now)
    up.impairment = schedule.impairment(.up, at: now)
    setCarrier(schedule.hasCarrier(at: now))
    for i in windows.indices { windows[i].note(down.counters, up.counters, at: now) }
    if let changeTimer { loop.cancel(changeTimer) }
    changeTimer = schedule.nextChange(after: now).map { time in
      loop.schedule(at: time) { self.assumeIsolated { $0.applySchedule() } }
    }
  }

  private func setCarrier(_ isOn: Bool) {
    guard isOn != hasCarrier else { return }
    hasCarrier = isOn
    down.hasCarrier = isOn
    up.hasCarrier = isOn
    if !isOn {
      down.cut()
      up.cut()
    }
    do { try station.setCarrier(isOn) } catch { problem = problem ?? (error as? SystemError) }
  }
}
