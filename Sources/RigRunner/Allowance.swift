/// What a case keeps of the things that a device may send without end.
struct Allowance {
  enum Kind: Hashable {
    /// Bytes of the device's log.
    case log
    /// Records.
    case damage
    case events
    /// Events that overtook the answer to `start`, and wait for it.
    case early

    var most: Int {
      switch self {
      case .log: 4 << 20
      case .damage: 1000
      case .events: 20_000
      case .early: 1000
      }
    }

    var text: String {
      switch self {
      case .log: "4 MiB of the device's log"
      case .damage: "1000 damaged records"
      case .events: "20000 events"
      case .early: "1000 events before the answer to start"
      }
    }
  }

  private var kept: [Kind: Int] = [:]
  /// What was not kept.
  private(set) var dropped: [Kind: Int] = [:]

  /// Whether so much more is kept. Nothing is any more, once something was not.
  mutating func takes(_ kind: Kind, _ amount: Int = 1) -> Bool {
    guard dropped[kind] == nil, amount <= kind.most - kept[kind, default: 0] else {
      dropped[kind, default: 0] += amount
      return false
    }
    kept[kind, default: 0] += amount
    return true
  }
}
