public import RigModel

/// What goes wrong on the bus that carries an emulated device's control link.
public enum PlugFault: Hashable, Sendable {
  public enum Way: String, Sendable { case input = "in", output = "out", both }

  /// It leaves the bus, and is plugged in again so much later.
  case unplug(Duration)
  /// It answers no transfer for so long.
  case silence(Duration)
  /// An endpoint halts once; again and again for a while, where that is given.
  case stall(Way, Duration?)
  /// Packets to the host hold at most so many bytes; for a while, where that is given.
  case crumbs(Int, Duration?)
  /// It leaves the bus for a moment, and comes back with so many bytes that it had said before.
  case stale(Int)

  /// The faults' verbs, in the order in which they act where several do.
  static let verbs = ["usb-stall", "short-packet", "usb-timeout", "stale-data", "unplug"]

  /// - Returns: `nil` where it is no fault of the bus.
  init?(_ fault: InjectedFault) {
    switch fault.fault {
    case "control-link.unplug": self = .unplug(fault.duration("for") ?? .zero)
    case "control-link.usb-timeout": self = .silence(fault.duration("for") ?? .zero)
    case "control-link.usb-stall":
      self = .stall(fault.text("way").flatMap(Way.init) ?? .input, fault.duration("for"))
    case "control-link.short-packet": self = .crumbs(fault.number("bytes", in: 1...8), fault.duration("for"))
    case "control-link.stale-data": self = .stale(fault.number("bytes", in: 1...65_536))
    default: return nil
    }
  }

  /// The device is not on the bus for a while: what it was asked last is lost with its answer.
  var takesLinkAway: Bool {
    switch self {
    case .unplug, .stale: true
    default: false
    }
  }

  // MARK: As a line, for a bus that another process holds

  /// `{"plug":"unplug","ms":2000}`
  public var json: JSONValue {
    func ms(_ duration: Duration?) -> JSONValue? { duration.map { .integer($0.nanoseconds / 1_000_000) } }
    return switch self {
    case .unplug(let time): ["plug": "unplug", "ms": ms(time)]
    case .silence(let time): ["plug": "silence", "ms": ms(time)]
    case .stall(let way, let time): ["plug": "stall", "way": .string(way.rawValue), "ms": ms(time)]
    case .crumbs(let bytes, let time): ["plug": "crumbs", "bytes": .integer(Int64(bytes)), "ms": ms(time)]
    case .stale(let bytes): ["plug": "stale", "bytes": .integer(Int64(bytes))]
    }
  }

  /// - Returns: `nil` where `json` is none.
  public init?(json: JSONValue) {
    let time = json["ms"]?.integer.map { Duration.milliseconds(max(0, min($0, 3_600_000))) }
    let bytes = Int(max(1, min(json["bytes"]?.integer ?? 1, 65_536)))
    switch json["plug"]?.string {
    case "unplug": self = .unplug(time ?? .zero)
    case "silence": self = .silence(time ?? .zero)
    case "stall": self = .stall(json["way"]?.string.flatMap(Way.init) ?? .input, time)
    case "crumbs": self = .crumbs(bytes, time)
    case "stale": self = .stale(bytes)
    default: return nil
    }
  }
}
