public import RigDevice
public import RigLoop
public import RigModel
public import RigWire

/// The link to a device on this machine: its access point is a TCP port that answers exactly while it is up.
public struct LoopbackLink: Link {
  private let loop: EpollLoop
  private let tcp: TCPProbe
  /// An AP answers within milliseconds here; a whole second without an answer is none.
  private static let patience: Duration = .seconds(1)

  public init(_ loop: EpollLoop) {
    self.loop = loop
    tcp = TCPProbe(loop: loop, patience: LoopbackLink.patience)
  }

  public var name: String { "loopback" }

  public func probe(_ target: Hello.Probe?) async -> Fact {
    guard let target else {
      return Fact(.linkNotJoined, by: .link, at: loop.now, detail: "hello announces no probe port to prove it with")
    }
    return await tcp.joined(target, from: "")
  }

  public func probeGone(_ target: Hello.Probe?) async -> Fact { await tcp.hotspot(target) }

  public func probePort(host: String, port: UInt16) async -> Fact { await tcp.port(host, port) }
}
