import RigWire

/// A request of a client and what became of it, for those who ask what was said and not whether it was right.
public struct RTSPExchange: Hashable, Sendable {
  /// How many an analysis keeps: the first ones.
  static let limit = 512

  public var method: String
  /// `nil`: no answer came.
  public var status: Int?
  /// The packet of the answer, else of the request; and its time, ns since 1970.
  public var frame: Int
  public var time: Int64
  /// A part of the answer came, and no more.
  public var isCut = false
  /// Who closed the connection before an answer came.
  public var closedBy: String?
  /// Why the missing answer is not the server's fault, where packets show that: it never had the request, or the answer
  /// may be in bytes that are missing.
  public var excuse: String?
  /// Seconds, as the Session header announces them.
  public var timeout: Int?
  /// Bytes of the body.
  public var body = 0
  /// The answer is a digest challenge, and calls the nonce stale.
  public var isDigest = false
  public var isStale = false
  /// The request carries digest credentials.
  public var isAuthorized = false

  init?(_ event: WireEvent) {
    switch event {
    case .response(let response):
      guard response.fromServer, let request = response.request else { return nil }
      method = request.method
      status = response.status
      frame = response.place.frame
      time = response.place.time
      isCut = response.deviations.contains { [.shortBody, .unterminatedHeaders].contains($0.kind) }
      timeout = response.message.session?.timeout.map { Int($0) }
      body = response.message.body.count
      if response.status == 401 {
        let challenge = AuthenticateHeader(response.message.headers).challenges.first { $0.isDigest }
        isDigest = challenge != nil
        isStale = challenge?.isStale ?? false
      }
      isAuthorized = RTSPExchange.isAuthorized(request)
    case .unanswered(let request, let ending):
      guard request.fromClient else { return nil }
      method = request.method
      frame = request.place.frame
      time = request.place.time
      switch ending {
      case .serverClosed: closedBy = "server"
      case .clientClosed: closedBy = "client"
      case .captureEnded, .crossed, .notReceived, .notCaptured: break
      }
      excuse = ending.excuse
      isAuthorized = RTSPExchange.isAuthorized(request)
    default: return nil
    }
  }

  private static func isAuthorized(_ request: RTSPRequest) -> Bool {
    request.message.headers["Authorization"].map {
      AuthenticateHeader(parsing: $0).challenges.contains { $0.isDigest }
    } ?? false
  }
}
