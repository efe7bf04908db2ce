import RigModel

/// A fault of a plan as the air performs it.
enum LinkFault: Hashable, Sendable {
  /// The place in the relay's schedule.
  case effect(Int)
  case carrier(Int)
  /// The DHCP server's counters when it began.
  case leasing(DHCPCounters)
  case clash
}

extension AirEffect {
  /// The effect that a fault's verb and arguments ask for; `nil`: none of the air.
  init?(_ fault: FaultRequest) {
    switch (fault.verb, fault.arguments["share"], fault.arguments["by"], fault.arguments["to"]) {
    case ("loss", .percent(let share), _, _): self = .loss(share)
    case ("reorder-packets", .percent(let share), _, _): self = .reorder(share)
    case ("duplicate-packets", .percent(let share), _, _): self = .duplicate(share)
    case ("corrupt-packets", .percent(let share), _, _): self = .corrupt(share)
    case ("delay", _, .duration(let time), _): self = .delay(time)
    case ("jitter", _, .duration(let time), _): self = .jitter(time)
    case ("rate", _, _, .bitRate(let rate)): self = .rate(rate)
    case ("blackout", _, _, _): self = .blackout
    case ("drop-link", _, _, _): self = .noCarrier
    default: return nil
    }
  }

  /// The directions that it acts on where the plan names none: media comes down; a delay and a blackout are the air's.
  private var usualWays: Set<AirDirection> {
    switch self {
    case .delay, .jitter, .blackout, .noCarrier: Set(AirDirection.allCases)
    default: [.down]
    }
  }

  func ways(_ fault: FaultRequest) -> Set<AirDirection> {
    switch fault.arguments["way"] {
    case .text("down"): [.down]
    case .text("up"): [.up]
    case .text("both"): Set(AirDirection.allCases)
    default: usualWays
    }
  }
}
