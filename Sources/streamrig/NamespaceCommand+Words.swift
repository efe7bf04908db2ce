import RigLinks
import RigModel

/// `loss=10,delay=50` and `at=2,for=1,blackout`: effects as words of the command line.
struct AirWords: Sendable {
  static let help =
    "loss=%, reorder=%, duplicate=%, corrupt=%, delay=ms, jitter=ms, rate=kbit/s, blackout, no-carrier, joined by "
    + "commas; at=s and for=s put them on a schedule"

  private(set) var effects: [AirEffect] = []
  /// From the command's start; `nil`: standing.
  private(set) var from: Duration?
  private(set) var duration: Duration?

  init(_ text: String) throws(UsageError) {
    for word in text.split(separator: ",") {
      let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
      if parts == ["blackout"] {
        effects.append(.blackout)
      } else if parts == ["no-carrier"] {
        effects.append(.noCarrier)
      } else if parts.count == 2, let number = Double(parts[1]), number >= 0, number <= 1e6 {
        try add(parts[0], number)
      } else {
        throw UsageError(description: "not an effect: \(word.debugDescription); \(AirWords.help)")
      }
    }
    if duration != nil || effects.contains(.noCarrier) || effects.contains(.blackout) { from = from ?? .zero }
  }

  private mutating func add(_ name: String, _ number: Double) throws(UsageError) {
    let share = Percent(fraction: number / 100)
    let milliseconds = Duration.nanoseconds(Int64(number * 1e6))
    switch name {
    case "loss": effects.append(.loss(share))
    case "reorder": effects.append(.reorder(share))
    case "duplicate": effects.append(.duplicate(share))
    case "corrupt": effects.append(.corrupt(share))
    case "delay": effects.append(.delay(milliseconds))
    case "jitter": effects.append(.jitter(milliseconds))
    case "rate": effects.append(.rate(BitRate(bitsPerSecond: Int64(number * 1000))))
    case "at": from = .nanoseconds(Int64(number * 1e9))
    case "for": duration = .nanoseconds(Int64(number * 1e9))
    default: throw UsageError(description: "no effect is called \(name.debugDescription); \(AirWords.help)")
    }
  }

  func apply(to impairment: inout Impairment) {
    for effect in effects { effect.apply(to: &impairment) }
  }

  static func line(_ c: AirCounters, _ key: String, _ name: String) -> JSONValue {
    let mean = c.forwarded > 0 ? Double(c.lateness.nanoseconds) / 1e3 / Double(c.forwarded) : 0
    let counts: [(String, Int)] = [
      ("seen", c.seen), ("forwarded", c.forwarded), ("bytes", c.forwardedBytes), ("lost", c.lost),
      ("blacked-out", c.blackedOut), ("no-carrier", c.withoutCarrier), ("overflowed", c.overflowed),
      ("duplicated", c.duplicated), ("reordered", c.reordered), ("corrupted", c.corrupted), ("delayed", c.delayed),
      ("overruns", c.overruns), ("refused", c.refused),
    ]
    return .object(
      [.init(key, .string(name))] + counts.map { .init($0.0, .integer(Int64($0.1))) }
        + [
          .init("late-mean-us", .number((mean * 10).rounded() / 10)),
          .init("late-worst-us", .number(Double(c.worstLateness.nanoseconds / 100) / 10)),
        ])
  }
}
