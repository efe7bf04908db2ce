import RigModel

/// A fault of a plan as the air performs it.
enum LinkFault: Hashable, Sendable {
  /// The place in the relay's schedule.
  case effect(Int)
  /// How many losses there were before.
  case carrier(after: Int)
  /// The DHCP server's counters when it began.
  case leasing(DHCPPool.Manner, DHCPCounters)
  case clash
}

extension DHCPPool {
  /// What a server that withholds leases since `before` withheld from the station; `nil`: nothing. A server that
  /// refuses may have offered only: that is what it does in any case.
  static func withheld(_ manner: Manner, since before: DHCPCounters, _ now: DHCPCounters) -> String? {
    guard now.leases == before.leases else { return nil }
    let asked = now.discovers + now.requests - before.discovers - before.requests
    let refused = now.refusals - before.refusals
    switch manner {
    case .silent where asked > 0: return "the station asked \(asked) times for an address and got none"
    case .refuses where refused > 0: return "the station's requests for an address were refused \(refused) times"
    default: return nil
    }
  }
}

/// Another network of the station's with the device's addresses.
enum SubnetClash {
  /// What it changes; `nil`: nothing, since the way to the device does not lead through it.
  /// - Parameter used: the station's address on the way to the device, as the kernel chose it.
  static func proof(_ interface: String, _ other: IPv4, towards device: IPv4, used: IPv4?) -> String? {
    used == other ? "the way from the station to \(device) is by its other network: \(interface), \(other)" : nil
  }
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
