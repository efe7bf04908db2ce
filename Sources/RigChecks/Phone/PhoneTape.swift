import RigModel
public import RigWire

/// Second look at a phone's capture: judges the packets of one session, with the checks that judge the rig's own.
public struct PhoneTape: Sendable {
  private let clock: PhoneClock
  private var analyzer: CaptureAnalyzer
  private let servers: Set<Endpoint>
  private let clients: Set<Endpoint>
  private let hosts: Set<IPAddress>
  private let own: Set<IPAddress>
  private let began: Int64

  public init(_ clock: PhoneClock, _ context: AnalysisContext) {
    self.clock = clock
    analyzer = CaptureAnalyzer(context)
    analyzer.collectPictures()
    servers = Set(clock.openings.map(\.server))
    clients = Set(clock.openings.map(\.client))
    hosts = Set(clock.openings.map(\.server.address))
    own = Set(clock.openings.map(\.client.address))
    began = clock.openings.first?.time ?? 0
  }

  /// Whether a packet belongs to the session: between the phone and the device, and of the player's own connections.
  public func wants(_ frame: RawSpan, time: Int64, link: LinkType) -> Bool {
    guard clock.window.contains(time) else { return false }
    let packet = NetworkDissector.dissect(frame, link: link)
    let (a, b) = (packet.flow.source, packet.flow.destination)
    switch packet.kind {
    case .tcp:
      return (servers.contains(a) && clients.contains(b)) || (servers.contains(b) && clients.contains(a))
    case .udp, .fragment:
      guard time >= began else { return false }
      return (hosts.contains(a.address) && own.contains(b.address))
        || (hosts.contains(b.address) && own.contains(a.address))
        || (hosts.contains(a.address) && b.address.isMulticast)
    case .other: return false
    }
  }

  /// - Parameter number: of the packet in the file that evidence names.
  public mutating func see(frame: RawSpan, number: Int, time: Int64, link: LinkType) {
    analyzer.see(frame: frame, number: number, time: time, link: link)
  }

  /// The coded pictures that were completed since the last call.
  public mutating func takePictures() -> [CodedPicture] { analyzer.takePictures() }

  /// - Parameter dropped: packets that the capture lost, as its file says; `nil`: it says nothing.
  public mutating func finish(dropped: UInt64?) -> AnalysisResult {
    analyzer.setCaptureDropped(dropped)
    return analyzer.finish()
  }
}
