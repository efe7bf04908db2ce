import RigDevice
import RigLoop
public import RigModel

/// Faults of a plan that this link performs.
extension NamespaceLink {
  public func watch(_ see: @escaping @Sendable (Fact) -> Void) async { onLost(see) }

  public func begin(_ fault: FaultRequest) async throws -> Int {
    switch fault.verb {
    case "no-lease":
      let manner: Leasing = fault.arguments["manner"] == .text("refusing") ? .refusing : .silent
      begun.append(.leasing(manner.pool, leasing()))
      setLeasing(manner)
    case "subnet-clash":
      try setSubnetClash(true)
      begun.append(.clash)
    default:
      guard let effect = AirEffect(fault) else {
        throw LinkFaultRefused("the namespace link knows no fault \(fault.verb) with these arguments")
      }
      var duration: Duration?
      if case .duration(let asked)? = fault.arguments["for"] { duration = asked }
      let before = losses.count
      let place = await relay.plan(effect, effect.ways(fault), at: now, for: duration)
      begun.append(effect == .noCarrier ? .carrier(after: before) : .effect(place))
    }
    return begun.count - 1
  }

  public func proof(of token: Int) async -> String? {
    guard begun.indices.contains(token) else { return nil }
    switch begun[token] {
    case .effect(let place):
      let windows = await relay.effects()
      guard windows.indices.contains(place), windows[place].hasActed else { return nil }
      return windows[place].summary
    case .carrier(let before): return losses.indices.contains(before) ? losses[before] : nil
    case .leasing(let manner, let before): return DHCPPool.withheld(manner, since: before, leasing())
    case .clash: return clashProof
    }
  }
}
