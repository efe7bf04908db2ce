/// What a server may be told; the defaults suit a device under test.
public struct RTSPServerOptions: Sendable {
  /// Seconds that sessions announce, and after which a silent one ends.
  public var sessionTimeout: Int
  /// The time by which a session really expires; `nil`: what it announces.
  public var expiry: Duration?
  /// Bytes of an RTP payload at most.
  public var payloadLimit: Int
  /// Bytes that may wait for a slow reader of interleaved media before whole access units are left out.
  public var queueLimit: Int
  /// Bytes of answers that may wait before the connection is closed.
  public var answerLimit: Int
  public var maximumConnections: Int
  public var maximumSessions: Int
  /// Each session over UDP takes two sockets a track.
  public var maximumSessionsPerConnection: Int
  /// Where RTP and RTCP ports of UDP sessions are drawn from; below the kernel's own ephemeral range.
  public var serverPorts: ClosedRange<UInt16>
  /// Between sender reports.
  public var reportInterval: Duration
  /// Media leaves at multiples of this, so up to that much later than its time stamp says; zero: as exactly as it can.
  public var paceGrid: Duration
  /// The `Server` header; empty: none.
  public var serverName: String
  /// Nanoseconds since 1970 at the time of `start()`; `nil`: the machine's own clock.
  public var wallClock: Int64?

  public init(
    sessionTimeout: Int = 60, expiry: Duration? = nil, payloadLimit: Int = 1400, queueLimit: Int = 512 * 1024,
    answerLimit: Int = 256 * 1024, maximumConnections: Int = 4096, maximumSessions: Int = 4096,
    maximumSessionsPerConnection: Int = 32,
    serverPorts: ClosedRange<UInt16> = 20000...31999, reportInterval: Duration = .seconds(5),
    paceGrid: Duration = .milliseconds(2),
    serverName: String = "streamrig-emulator", wallClock: Int64? = nil
  ) {
    self.sessionTimeout = sessionTimeout
    self.expiry = expiry
    self.payloadLimit = payloadLimit
    self.queueLimit = queueLimit
    self.answerLimit = answerLimit
    self.maximumConnections = maximumConnections
    self.maximumSessions = maximumSessions
    self.maximumSessionsPerConnection = maximumSessionsPerConnection
    self.serverPorts = serverPorts
    self.reportInterval = reportInterval
    self.paceGrid = paceGrid
    self.serverName = serverName
    self.wallClock = wallClock
  }
}
