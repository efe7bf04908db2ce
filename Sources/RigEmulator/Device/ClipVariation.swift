/// How a clip differs from what was asked for, because a fault wants it so.
public struct ClipVariation: Hashable, Sendable {
  public enum Scene: String, Sendable { case moving, still, black }

  public var scene = Scene.moving
  /// Pictures a second; `nil`: as many as ever.
  public var frameRate: Int?
  /// Bits per second; `nil`: as asked for.
  public var bitRate: Int?

  public init() {}

  init(_ faults: [InjectedFault]) {
    for fault in faults { _ = apply(fault) }
  }

  /// `nil` where the fault changes no clip.
  init?(_ fault: InjectedFault) {
    guard apply(fault) else { return nil }
  }

  private mutating func apply(_ fault: InjectedFault) -> Bool {
    switch fault.fault {
    case "media.black": scene = .black
    case "media.frozen": scene = .still
    case "media.low-rate": frameRate = fault.number("to", in: 1...60)
    case "media.low-bitrate": bitRate = fault.number("to", in: 50_000...100_000_000)
    default: return false
    }
    return true
  }
}
