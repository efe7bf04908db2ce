public import RigDevice
public import RigLoop
public import RigModel

/// What a driver signalled, with waits that end.
// Unchecked: touched only on the loop's thread.
public final class SignalLog: @unchecked Sendable {
  private struct Waiter {
    let id: Int
    let matches: (DriverSignal) -> Bool
    let resume: (DriverSignal?) -> Void
  }

  private let loop: Loop
  public private(set) var signals: [DriverSignal] = []
  private var waiters: [Waiter] = []
  private var lastID = 0
  /// Signals before it were taken by a wait.
  private var next = 0

  public init(_ loop: Loop) { self.loop = loop }

  public func take(_ signal: DriverSignal) {
    signals.append(signal)
    guard let i = waiters.firstIndex(where: { $0.matches(signal) }) else { return }
    next = signals.count
    waiters.remove(at: i).resume(signal)
  }

  /// The next signal that `matches`, after the one that the last wait found; `nil`: none came inside `limit`.
  public nonisolated(nonsending) func first(
    within limit: Duration = .seconds(30), where matches: @escaping (DriverSignal) -> Bool
  ) async -> DriverSignal? {
    await withUnsafeContinuation { (k: UnsafeContinuation<DriverSignal?, Never>) in
      if let i = signals[next...].firstIndex(where: matches) {
        next = i + 1
        return k.resume(returning: signals[i])
      }
      lastID += 1
      let id = lastID
      let timer = loop.schedule(at: loop.now + limit) { [weak self] in
        guard let self, let i = self.waiters.firstIndex(where: { $0.id == id }) else { return }
        self.waiters.remove(at: i).resume(nil)
      }
      waiters.append(
        Waiter(id: id, matches: matches) { [loop] signal in
          loop.cancel(timer)
          k.resume(returning: signal)
        })
    }
  }

  public nonisolated(nonsending) func event(_ name: String, within limit: Duration = .seconds(30)) async -> DeviceEvent?
  {
    guard case .event(let event)? = await first(within: limit, where: { $0.event?.name == name }) else { return nil }
    return event
  }

  /// Events that are no claims, by name, in the order in which they came.
  public var eventNames: [String] { signals.compactMap(\.event).filter { !$0.isClaim }.map(\.name) }
}

extension DriverSignal {
  public var event: DeviceEvent? { if case .event(let event) = self { event } else { nil } }
  /// One word, and what matters of it.
  public var word: String {
    switch self {
    case .event(let event): "event \(event.name)"
    case .deviceLog: "log"
    case .controlLost(let reason): "lost: \(reason)"
    case .controlBack: "back"
    case .rebooted: "rebooted"
    case .eventsLost(let count): "\(count) events lost"
    case .damaged(let why): "damaged: \(why)"
    case .fact(let fact): "fact \(fact.kind.rawValue)"
    }
  }
}
