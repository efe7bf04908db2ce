import RigDevice
public import RigModel

/// A fault of a plan as the station performs it.
enum WiFiFault: Hashable, Sendable {
  case wrongKey
  case noLease
  case clash
  /// How many losses there were before.
  case drop(after: Int)
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
      begun.append(.drop(after: losses.count))
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
    case .noLease:
      guard unanswered.asked > 0, leaseText == nil else { return nil }
      return "the station asked \(unanswered.asked) times for an address, took none of \(unanswered.ignored) answers, "
        + "and got no lease"
    case .clash:
      return clashNetwork.map { "the station's \(WiFiLink.clashInterface) holds \($0), and \(leaseText ?? "no lease")" }
    case .drop(let before): return losses.indices.contains(before) ? losses[before] : nil
    }
  }
}
