import RigDevice
public import RigModel

/// A fault of a plan as the station performs it.
enum WiFiFault: Hashable, Sendable {
  case wrongKey
  case noLease
  case clash
  /// How many losses there were before; `nil`: there was no association to lose.
  case drop(after: Int?)

  /// What a deaf station's not hearing changed; `nil`: nothing. Where nobody offers an address, nobody gets one.
  static func deafness(_ dhcp: (asked: Int, ignored: Int)) -> String? {
    guard dhcp.ignored > 0 else { return nil }
    return "the station asked \(dhcp.asked) times for an address, took none of \(dhcp.ignored) offers, and got no lease"
  }
}

/// Faults of a plan that this link performs: those of the station's own doing. The air itself is real.
extension WiFiLink {
  /// Why this link cannot perform a fault; `nil`: it can.
  public static func refusal(of fault: FaultRequest) -> String? {
    switch fault.verb {
    case "wrong-key", "subnet-clash", "drop-link": nil
    case "no-lease":
      fault.arguments["manner"] == .text("refusing")
        ? "the wifi link has no hold on the device's DHCP server: it cannot make it refuse" : nil
    default: "the wifi link has no hold on the air: it cannot \(fault.verb); run with --link namespace"
    }
  }

  public func begin(_ fault: FaultRequest) async throws -> Int {
    if let why = WiFiLink.refusal(of: fault) { throw LinkFaultRefused(why) }
    switch fault.verb {
    case "wrong-key":
      usesWrongKey = true
      begun.append(.wrongKey)
    case "no-lease":
      isDeaf = true
      begun.append(.noLease)
    case "subnet-clash":
      clashes = true
      begun.append(.clash)
    default:
      begun.append(.drop(after: isAssociated ? losses.count : nil))
      let token = begun.count - 1
      var duration: Duration?
      if case .duration(let asked)? = fault.arguments["for"] { duration = asked }
      try await drop(for: duration)
      return token
    }
    return begun.count - 1
  }

  public func proof(of token: Int) async -> String? {
    guard begun.indices.contains(token) else { return nil }
    switch begun[token] {
    case .wrongKey: return wrongKeyProof
    case .noLease: return hasLease ? nil : WiFiFault.deafness(unanswered)
    case .clash: return clashProof
    case .drop(let before): return before.flatMap { losses.indices.contains($0) ? losses[$0] : nil }
    }
  }
}
