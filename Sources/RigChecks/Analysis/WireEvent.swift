public import RigWire

/// What happened on the wire above RTP packets; those come by `WireCheck.see(rtp:…)`.
public enum WireEvent: Sendable {
  case request(RTSPRequest)
  case response(RTSPResponse)
  /// No response came before the connection or the capture ended.
  case unanswered(RTSPRequest, Ending)
  /// The session description of a successful DESCRIBE.
  case description(SDPSession, response: RTSPResponse)
  /// A successful SETUP: index into `WireWorld.tracks`.
  case track(Int, response: RTSPResponse)
  /// A session began to play, paused or ended: index into `WireWorld.sessions`.
  case session(Int, RTSPSession.State, WirePlace)
  case framing(FramingDamage)
  case rtcp(RTCPEvent)
  case accessUnit(AccessUnitEvent)
  /// Both sides, or one by reset, have closed.
  case connectionEnded(Int, WirePlace)
  /// A playing stream was silent: from its last packet before to its first after; `resumed` is false where none came.
  case silence(stream: Int, from: WirePlace, until: WirePlace, resumed: Bool)

  var kind: WireInterest.Kinds {
    switch self {
    case .request: .requests
    case .response, .unanswered: .responses
    case .description: .descriptions
    case .track: .tracks
    case .session: .sessions
    case .framing: .framing
    case .rtcp: .rtcp
    case .accessUnit: .accessUnits
    case .connectionEnded: .connections
    case .silence: .silence
    }
  }
}

/// What ended the wait for a response.
public enum Ending: Sendable {
  case captureEnded
  case clientClosed
  case serverClosed
  /// The server had closed, or ended the session by itself, before the request reached it: its FIN or BYE does not
  /// acknowledge the request (RFC 9293 3.4).
  case crossed
  /// The server never acknowledged the request: nothing shows that it came.
  case notReceived
  /// The capture lacks bytes of the server, or they were never delivered: the answer may be among them.
  case notCaptured

  /// Why the missing answer is not the server's fault; `nil`: it may be.
  var excuse: String? {
    switch self {
    case .captureEnded, .clientClosed, .serverClosed: nil
    case .crossed: "the server had ended before it came"
    case .notReceived: "the server never acknowledged it"
    case .notCaptured: "the capture lacks bytes in which the answer may be"
    }
  }
}

/// An RTSP request and where it stands.
public struct RTSPRequest: Sendable {
  public var connection: Int
  public var message: RTSPMessage
  public var deviations: [RTSPDeviation]
  public var place: WirePlace
  /// Sent by the side that opened the dialogue; false for requests of the server.
  public var fromClient: Bool
  /// Offset in the TCP stream behind its last byte; `nil` where it did not come out of one.
  public var end: Int64?
  /// Bytes of the other side are missing since: its answer may be among them.
  var mayBeAnswered = false
  public var method: String { message.method ?? "" }
  public var url: String { message.url ?? "" }
}

/// An RTSP response and the request that it answers.
public struct RTSPResponse: Sendable {
  public enum Match: Sendable {
    /// By CSeq.
    case cseq
    /// By order, because its CSeq is missing or names no open request.
    case order
    /// Nothing was open: a second response, or the request was not captured.
    case none
  }
  public var connection: Int
  public var message: RTSPMessage
  public var deviations: [RTSPDeviation]
  public var place: WirePlace
  public var fromServer: Bool
  public var request: RTSPRequest?
  public var match: Match
  /// The capture saw the connection from its start, so an unmatched response really answers nothing.
  public var wholeConnection: Bool
  /// Index into `WireWorld.sessions` of the session that the request names; -1 where there is none.
  public var session = -1
  /// The connection has tracks that SETUP made.
  public var hasTracks = false
  public var status: Int { message.status ?? 0 }
  public var isSuccess: Bool { (200..<300).contains(status) }
}

/// Bytes of an RTSP connection that belong to no message and no interleaved frame, or a frame that breaks its word.
public struct FramingDamage: Sendable {
  public enum Kind: Sendable {
    /// Bytes between two items.
    case garbage
    /// Bytes right behind a message: its Content-Length is too small, or missing.
    case afterMessage(contentLength: Int?, method: String?, status: Int?)
    /// The next item began before the announced length was reached.
    case shortFrame
    /// An RTSP message inside the announced body of a frame.
    case messageInFrame
    /// The capture lacks bytes here: nobody's fault but the capture's.
    case captureGap
    /// A frame on a channel that no SETUP assigned.
    case unassignedChannel(UInt8)
    /// A frame without a body.
    case emptyFrame(UInt8)
  }
  public var connection: Int
  public var kind: Kind
  public var bytes: Int
  public var fromServer: Bool
  public var place: WirePlace
}
