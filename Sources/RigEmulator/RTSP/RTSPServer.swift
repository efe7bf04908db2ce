import Glibc
public import RigLoop
public import RigModel
import RigWire

/// The RTSP 1.0 server of an emulated device (RFC 2326): one mount, many clients, UDP and interleaved TCP.
///
/// Everything runs on `loop`. Deviations are injected with `setFaults`; each tells when it acts.
public actor RTSPServer {
  public nonisolated let loop: EpollLoop
  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// `/live`: the path of the presentation.
  public nonisolated let mount: String
  public nonisolated let options: RTSPServerOptions
  let clip: Clip
  let observer: @Sendable (RTSPServerEvent) -> Void
  private let wanted: SocketAddress
  private var listener: TCPListener?
  private var accepting: Task<Void, any Error>?

  var random: SplitMix64
  var faults: RTSPFaults = []
  /// Who may play, while a fault asks for credentials.
  var gate: DigestGate?
  /// The clip cut into payloads as the faults in force want it.
  var prepared: PreparedClip
  var connections: [Int: RTSPConnection] = [:]
  var sessions: [String: RTSPSession] = [:]
  var counters = RTSPStatistics()
  private var lastConnection = 0
  /// Wall-clock nanoseconds since 1970 at host time zero: read once, so that reports never jump.
  private var wallOffset: Int64 = 0
  /// The id of the presentation in its SDP: seconds since 1900, as RFC 4566 5.2 suggests.
  private(set) var presentationID: Int64 = 0

  /// - Parameters:
  ///   - address: where to listen; port 0 takes a free one.
  ///   - mount: an absolute path without a slash at its end.
  ///   - random: the only source of session ids, SSRCs, sequence numbers, time stamps and ports.
  ///   - observer: called on the loop.
  public init(
    loop: EpollLoop, address: SocketAddress, mount: String = "/live", clip: Clip, random: SplitMix64,
    options: RTSPServerOptions = RTSPServerOptions(),
    observer: @escaping @Sendable (RTSPServerEvent) -> Void = { _ in }
  ) {
    self.loop = loop
    self.wanted = address
    self.mount = mount
    self.clip = clip
    self.random = random
    self.options = options
    self.observer = observer
    prepared = PreparedClip(clip, payloadLimit: options.payloadLimit)
  }

  /// Where the server listens; `nil` before `start` and after `stop`.
  public var address: SocketAddress? { listener?.address }

  /// `rtsp://127.66.1.1:8554/live`; `nil` while the server does not listen.
  public var url: String? { listener.map { "rtsp://\($0.address)\(mount)" } }

  /// As a device reports it: with the credentials that its server asks for.
  public var playURL: String? {
    guard let gate, let listener else { return url }
    return "rtsp://\(gate.user):\(gate.password)@\(listener.address)\(mount)"
  }

  /// Listens, and serves until `stop`.
  /// - Throws: `SystemError` where the address cannot be bound.
  @discardableResult
  public func start() throws(SystemError) -> SocketAddress {
    if let listener { return listener.address }
    let listener = try TCPListener(loop, on: wanted)
    self.listener = listener
    wallOffset = (options.wallClock ?? RTSPServer.machineWallClock) - loop.now.nanoseconds
    presentationID = wallClock(at: loop.now) / 1_000_000_000 + 2_208_988_800
    accepting = loop.spawn { await self.acceptClients() }
    return listener.address
  }

  /// Says goodbye on every playing session and closes everything.
  public func stop() {
    listener?.close()
    listener = nil
    accepting?.cancel()
    for session in sessions.values.sorted(by: { $0.number < $1.number }) { end(session, .serverStopped) }
    for connection in connections.values { connection.stream.close() }
    connections.removeAll()
  }

  /// As `stop`, but for sessions over UDP that a fault lets live on, and their connections.
  /// - Returns: whether everything is closed.
  func stop(leavingWhatLingers: Bool) -> Bool {
    let lingers = sessions.values.contains { $0.transport == .udp && $0.isPlaying }
    guard leavingWhatLingers, faults.contains(.ignoreTeardown), lingers else {
      stop()
      return true
    }
    listener?.close()
    listener = nil
    accepting?.cancel()
    return false
  }

  /// Puts other faults in force; what concerns the payloads holds for sessions set up from now on.
  public func setFaults(_ new: RTSPFaults) {
    let changed = new.changesPayloads || faults.changesPayloads
    faults = new
    if !new.asksForCredentials {
      gate = nil
    } else if gate == nil {
      gate = DigestGate(staleOnce: new.contains(.staleNonce), random: &random)
    }
    if changed { prepared = PreparedClip(clip, payloadLimit: options.payloadLimit, faults: new) }
  }

  public var statistics: RTSPStatistics {
    var all = counters
    all.connections = connections.count
    all.sessions = sessions.values.sorted { $0.number < $1.number }.map { session in
      RTSPStatistics.Session(
        id: session.id, transport: session.transport, isPlaying: session.isPlaying, packets: session.packets,
        payloadBytes: session.payloadBytes, senderReports: session.tracks.reduce(0) { $0 + $1.reports },
        unitsSkipped: session.unitsSkipped)
    }
    return all
  }

  /// The wall clock, in nanoseconds since 1970, at a host time.
  func wallClock(at time: HostTime) -> Int64 { time.nanoseconds &+ wallOffset }

  private static var machineWallClock: Int64 {
    var t = timespec()
    clock_gettime(CLOCK_REALTIME, &t)
    return Int64(t.tv_sec) * 1_000_000_000 + Int64(t.tv_nsec)
  }

  // MARK: Connections

  private func acceptClients() async {
    while let listener {
      do {
        guard let stream = try await listener.accept() else { return }
        admit(stream)
      } catch is SystemError {
        // One client that could not be taken on is no reason to turn others away.
        do { try await loop.sleep(for: .milliseconds(10)) } catch { return }
      } catch { return }
    }
  }

  private func admit(_ stream: ByteStream) {
    guard connections.count < options.maximumConnections, let peer = stream.remoteAddress,
      let local = stream.localAddress
    else {
      return stream.close()
    }
    lastConnection += 1
    let key = lastConnection
    connections[key] = RTSPConnection(key: key, stream: stream, peer: peer, local: local)
    loop.spawn { await self.serve(key) }
  }

  /// Closes a connection; interleaved sessions end with it, sessions over UDP live on until they expire.
  func close(_ connection: RTSPConnection) {
    guard connections.removeValue(forKey: connection.key) != nil else { return }
    connection.stream.close()
    for session in carried(by: connection) { end(session, .connectionClosed) }
  }

  /// The sessions whose interleaved media a connection carries, oldest first.
  func carried(by connection: RTSPConnection) -> [RTSPSession] {
    connection.carried.compactMap { sessions[$0] }.sorted { $0.number < $1.number }
  }

  // MARK: Faults

  /// Tells the owner that a fault acted: once per session, or each time where there is none.
  func acted(_ fault: RTSPFault, in session: RTSPSession? = nil, _ detail: @autoclosure () -> String = "") {
    faults.spend(fault)
    if let session, !session.faultsActed.insert(fault.name).inserted { return }
    observer(.faultActed(name: fault.name, session: session?.id, detail: detail()))
  }
}
