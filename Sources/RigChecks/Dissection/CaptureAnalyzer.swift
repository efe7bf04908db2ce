public import RigModel
public import RigWire

/// Judges captured packets, one after the other, in constant memory.
///
/// Finds RTSP by its first bytes on any TCP port, RTP and RTCP by what SETUP agreed (ports or interleaved channels)
/// or, where no RTSP was captured, by their looks. Feed every packet to `see`, then call `finish` once.
public struct CaptureAnalyzer: Sendable {
  static let connectionLimit = 16_384
  static let routeLimit = 65_536
  static let provenHostLimit = 1024

  public let context: AnalysisContext
  public internal(set) var world = WireWorld()
  /// RTP packets of known media so far, and the capture time of the latest, ns since 1970.
  public internal(set) var mediaPackets: Int64 = 0
  public internal(set) var lastMediaTime: Int64?
  /// Packets handed in, and those that belong to an RTSP, RTP or RTCP flow.
  public private(set) var packets: Int64 = 0

  var checks: [any WireCheck] = []
  var interests: [WireInterest] = []
  var everyPacket: [Int] = []
  var noted: [(check: Int, notes: RTPNotes)] = []
  var log: FindingLog

  var connections: [Connection] = []
  var connectionIndex: [FlowKey: (index: Int, side: Int)] = [:]
  /// Packet count before which no list is searched for room again: a full list costs little per packet.
  private var nextSearch: Int64 = 0
  var freeConnections: [Int] = []
  var routes: [Route] = []
  var freeRoutes: [Int] = []
  var freeStreams: [Int] = []
  var flowIndex: [FlowKey: Int] = [:]
  var lastFlow: FlowKey?
  var lastRoute = 0
  /// What SETUP announced: where media goes to, and where the server listens.
  var mediaTargets: [Endpoint: ChannelAssignment] = [:]
  var serverPorts: [Endpoint: ChannelAssignment] = [:]
  var sessionIndex: [SessionKey: Int] = [:]
  var fragments = FragmentReassembler()
  /// Hosts whose UDP checksums were right, and whether IPv4 headers have right ones.
  var provenHosts: Set<IPAddress> = []
  private var headerChecksums = ChecksumTrust()
  /// The packet at hand was put together from IP fragments.
  var isReassembled = false
  /// The packet at hand was cut by the snap length.
  var isCut = false
  /// The first of them, at most 64, and how many there were.
  public private(set) var unjudged: [UnjudgedConnection] = []
  public private(set) var unjudgedCount = 0
  /// What clients asked for and what they got; the first ones.
  private(set) var exchanges: [RTSPExchange] = []
  /// The first request for a URL on each connection; the first ones.
  private(set) var openings: [RTSPOpening] = []
  private var openedConnections: Set<Int> = []
  /// Collects the coded pictures; `nil`: nobody wants them.
  var pictures: PictureCollector?
  private var finished = false

  struct SessionKey: Hashable {
    var server: IPAddress
    var id: String
  }

  public init(_ context: AnalysisContext = AnalysisContext()) {
    self.init(context, checks: CheckCatalog.wire)
  }

  /// With a choice of checks, for tests.
  public init(_ context: AnalysisContext, checks types: [any WireCheck.Type]) {
    self.context = context
    log = FindingLog(settings: context.settings, file: context.file)
    world.captureDropped = context.captureDropped
    for type in types where context.setting(type.info) != .off {
      if type.interest.everyPacket {
        everyPacket.append(checks.count)
      } else if !type.interest.notes.isEmpty {
        noted.append((checks.count, type.interest.notes))
      }
      checks.append(type.init(context))
      interests.append(type.interest)
    }
  }

  /// Takes one packet.
  /// - Parameters:
  ///   - frame: the captured bytes.
  ///   - number: 1-based, as Wireshark counts.
  ///   - time: nanoseconds since 1970 UTC.
  public mutating func see(frame: RawSpan, number: Int, time: Int64, link: LinkType) {
    packets += 1
    guard link != .user0 else { return }
    if world.firstTime == 0 { world.firstTime = time }
    world.now = max(world.now, time)
    world.lastFrame = number
    let packet = NetworkDissector.dissect(frame, link: link)
    if headerChecksums.refuses(packet.headerChecksum) {
      world.damagedPackets += 1
      return
    }
    guard context.hosts.isEmpty || isWanted(packet.flow) else { return }
    switch packet.kind {
    case .udp: seeUDP(packet, frame, WirePlace(frame: number, time: time))
    case .tcp: seeTCP(packet, frame, number: number, time: time)
    case .fragment:
      guard let whole = fragments.add(packet, in: frame, time: time) else { return }
      let inner = NetworkDissector.dissect(reassembled: whole, of: packet)
      guard inner.kind == .udp else { return }
      isReassembled = true
      seeUDP(inner, whole.span.bytes, WirePlace(frame: number, time: time))
      isReassembled = false
    case .other: break
    }
  }

  /// Whether a full list may be searched for entries to drop: at most once in 4,096 packets.
  mutating func maySearch() -> Bool {
    guard packets >= nextSearch else { return false }
    nextSearch = packets + 4096
    return true
  }

  private func isWanted(_ flow: FlowKey) -> Bool {
    context.hosts.contains(flow.source.address) || context.hosts.contains(flow.destination.address)
  }

  /// How many packets the capture lost, once that is known (an interface statistics block, the kernel's counter).
  public mutating func setCaptureDropped(_ count: UInt64?) { world.captureDropped = count }

  /// Ends the analysis. Further calls give the same result.
  public mutating func finish() -> AnalysisResult {
    if !finished {
      finished = true
      flushConnections()
      finishStreams()
      fragments.finish(at: world.now)
      world.incompleteDatagrams = fragments.incomplete
      for index in checks.indices { checks[index].finish(in: world, log: &log) }
    }
    return AnalysisResult(self)
  }

  /// Findings so far; those that only the end can tell are not among them.
  public var findings: [Finding] { log.all }

  /// From now on the coded pictures of the video are kept for `takePictures`.
  public mutating func collectPictures() { pictures = PictureCollector() }

  /// The coded pictures that were completed since the last call.
  public mutating func takePictures() -> [CodedPicture] { pictures?.drain() ?? [] }

  private mutating func noteOpening(_ event: WireEvent) {
    guard case .request(let request) = event, request.fromClient, request.url != "*",
      openings.count < RTSPOpening.limit, openedConnections.insert(request.connection).inserted
    else { return }
    openings.append(
      RTSPOpening(
        url: request.url, method: request.method, time: request.place.time, frame: request.place.frame,
        client: connections[request.connection].client, server: connections[request.connection].server))
  }

  mutating func note(_ connection: UnjudgedConnection) {
    unjudgedCount += 1
    if unjudged.count < 64 { unjudged.append(connection) }
  }

  mutating func emit(_ event: WireEvent) {
    let kind = event.kind
    if kind == .requests { noteOpening(event) }
    if kind == .responses, exchanges.count < RTSPExchange.limit, let exchange = RTSPExchange(event) {
      exchanges.append(exchange)
    }
    for index in checks.indices where interests[index].kinds.contains(kind) {
      checks[index].see(event, in: world, log: &log)
    }
  }
}
