/// Counters since the server started.
public struct RTSPStatistics: Hashable, Sendable {
  public struct Session: Hashable, Sendable {
    public var id: String
    public var transport: RTSPTransportKind?
    public var isPlaying: Bool
    /// RTP packets sent, and the bytes of their payloads.
    public var packets: Int
    public var payloadBytes: Int
    public var senderReports: Int
    /// Access units left out because the reader was too slow.
    public var unitsSkipped: Int
  }

  public var connections = 0
  public var sessionsCreated = 0
  public var requests = 0
  public var packets = 0
  public var payloadBytes = 0
  public var unitsSkipped = 0
  /// Datagrams that the kernel refused.
  public var sendErrors = 0
  /// RTCP packets and interleaved frames from clients.
  public var reportsReceived = 0
  /// The sessions that are alive, in the order of their creation.
  public var sessions: [Session] = []
  public init() {}
}
