public import RigDevice
public import RigLoop
public import RigModel
public import RigWire

/// No link: a phone is on the device's network, and the harness is not.
public struct AwayLink: Link {
  private let loop: Loop
  private static let why = HotspotNotSought.notOnItsNetwork.rawValue

  public init(_ loop: Loop) { self.loop = loop }

  public var name: String { "none" }
  public var isWitness: Bool { false }

  public func join(_ request: JoinRequest) async -> Fact? {
    guard request.by == .harness else { return nil }
    return Fact(.linkNotJoined, by: .link, at: loop.now, detail: "the harness has no link: a phone joins")
  }
  public func probe(_ target: Hello.Probe?) async -> Fact {
    Fact(.linkNotJoined, by: .link, at: loop.now, detail: AwayLink.why)
  }
  public func probeGone(_ target: Hello.Probe?) async -> Fact {
    Fact(.hotspotGone, by: .link, at: loop.now, detail: AwayLink.why)
  }
  public func probePort(host: String, port: UInt16) async -> Fact {
    Fact(.portClosed, by: .link, at: loop.now, detail: AwayLink.why)
  }
}
