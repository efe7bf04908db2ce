import RigFlow
import RigModel

/// Makes a sequence that breaks a rule as short and as plain as it can be while it still breaks that rule.
///
/// First whole runs of steps are left out (delta debugging), then single steps; then what is left is simplified: less
/// waiting, no clocks, no details.
public struct Shrinker {
  private let rule: String
  private let violates: (SessionSequence) -> String?
  /// Sequences tried so far.
  public private(set) var tries = 0
  /// A shrink that takes longer than this gives what it has.
  private static let mostTries = 20_000

  /// - Parameter violates: the rule that a sequence breaks; `nil`: none.
  public init(rule: String, violates: @escaping (SessionSequence) -> String?) {
    self.rule = rule
    self.violates = violates
  }

  public mutating func shrink(_ sequence: SessionSequence) -> SessionSequence {
    var best = sequence
    var before: SessionSequence
    repeat {
      before = best
      best = fewer(best)
      best = plainer(best)
    } while best != before && tries < Shrinker.mostTries
    return best
  }

  private mutating func stillBreaks(_ sequence: SessionSequence) -> Bool {
    guard tries < Shrinker.mostTries else { return false }
    tries += 1
    return violates(sequence) == rule
  }

  private mutating func fewer(_ sequence: SessionSequence) -> SessionSequence {
    var best = sequence
    var size = max(1, best.steps.count / 2)
    while true {
      var start = 0
      while start < best.steps.count {
        let range = start..<min(start + size, best.steps.count)
        let shorter = best.without(range.contains)
        if stillBreaks(shorter) { best = shorter } else { start += size }
      }
      if size == 1 { return best }
      size /= 2
    }
  }

  private mutating func plainer(_ sequence: SessionSequence) -> SessionSequence {
    var best = sequence
    func attempt(_ change: (inout SessionSequence) -> Void, _ self: inout Shrinker) {
      var copy = best
      change(&copy)
      if copy != best, self.stillBreaks(copy) { best = copy }
    }
    attempt({ $0.playFor = 0 }, &self)
    for i in best.steps.indices {
      attempt({ $0.steps[i].after = 0 }, &self)
      var part = best.steps[i].after / 2
      while part > 0 {
        attempt({ $0.steps[i].after -= min(part, $0.steps[i].after) }, &self)
        part /= 2
      }
      guard case .event(let event) = best.steps[i].what else { continue }
      for simpler in Shrinker.simpler(event) { attempt({ $0.steps[i].what = .event(simpler) }, &self) }
    }
    return best
  }

  /// The same event with less in it, the plainest first.
  private static func simpler(_ event: RandomEvent) -> [RandomEvent] {
    var list: [RandomEvent] = []
    var plain = event
    plain.lag = nil
    plain.error = 0
    let wanted: [String: [String]] = [
      "rtspAddressReceived": ["address"], "sessionFinish": ["userStopped"], "connectDeviceHotspotStarting": [],
    ]
    let keys = wanted[event.name] ?? ["success"]
    let members = (event.data.members ?? []).filter { keys.contains($0.key) }
    for data in [JSONValue.object(members), ["success": true], event.data] {
      var simple = plain
      simple.data = data
      list.append(simple)
      simple.run = .own
      list.append(simple)
    }
    return list
  }
}
