/// A deviation of the emulated RTSP server. Counts of packets are per track and include those that a fault withholds.
public enum RTSPFault: Hashable, Sendable {
  // The dialogue
  /// Answers `at` with this status and does not perform it.
  case status(Int, at: String)
  /// Performs nothing and answers nothing.
  case noReply(at: String)
  /// Closes the connection instead of an answer.
  case close(at: String)
  /// Answers with a CSeq that is one too high.
  case badCSeq
  /// The SETUP answer announces an SSRC that the packets do not carry.
  case wrongSSRCInTransport
  /// Sessions announce, and have, this timeout.
  case shortTimeout(seconds: Int)
  /// Half of the answer, then the connection closes.
  case partialReply(at: String)
  /// The answer to SETUP names no session.
  case noSession
  /// `Content-Base` is a path instead of an absolute URL.
  case badContentBase
  /// `Content-Length` is off by this much.
  case badContentLength(by: Int)
  /// Header values go on in a second line (RFC 2326 4.2 allows it, parsers stumble).
  case headerFold
  /// Lines of answers end in LF alone.
  case bareLF
  /// The answer stands behind the head of an interleaved frame.
  case replyInsideFrame(at: String)
  /// DESCRIBE is answered with 302 to its own URL.
  case redirectLoop
  /// TEARDOWN is answered with 200 and the media goes on, until the connection closes or the session expires.
  case ignoreTeardown

  /// Every request but OPTIONS must carry digest credentials (RFC 7616); the URL to play has them.
  case digestAuth
  /// The same, and the nonce is refused once, as stale, at its second use.
  case staleNonce

  // The SDP
  /// No `a=rtpmap`.
  case missingRTPMap
  /// No `sprop-parameter-sets`; the stream carries them.
  case noSprop
  /// No `a=control` in the media sections.
  case noControl
  /// The port in `m=` is no number.
  case badPort
  /// Bytes that are no text in `s=`.
  case binarySDP
  /// The last line does not end.
  case noFinalCRLF
  /// So many bytes of attributes that mean nothing.
  case hugeSDP(bytes: Int)

  // RTP and RTCP
  /// The sequence number skips `by` once, after that many packets.
  case seqJump(after: Int, by: UInt16)
  /// Withholds every n-th packet; its sequence number is used up.
  case dropPackets(every: Int)
  /// Sends every n-th packet again after the one that follows it, inside an access unit.
  case duplicatePackets(every: Int)
  /// Sends every n-th packet after the one that follows it, inside an access unit.
  case reorderPackets(every: Int)
  /// Time stamps jump once by this much (negative: back), after that many packets.
  case timestampJump(after: Int, by: Duration)
  /// Every n-th packet has a payload type that the SDP does not know.
  case wrongPayloadType(every: Int)
  /// Every n-th packet ends in padding (RFC 3550 5.1 allows it).
  case padding(every: Int, bytes: UInt8)
  /// Packets larger than any Ethernet frame.
  case oversize
  /// Every n-th interleaved packet is on a channel that no SETUP assigned.
  case unknownChannel(every: Int)
  /// Goes on under another SSRC after that many packets.
  case ssrcChange(after: Int)
  /// One packet without payload after that many packets.
  case emptyPayload(after: Int)
  /// Sends no sender reports.
  case noSR
  /// The NTP time of sender reports after the first is off by this much, so that the mapping jumps.
  case badSRTime(offset: Duration)
  /// Sends a BYE, and no media after it, that long after PLAY.
  case earlyBye(after: Duration)
  /// Sends nothing for a while; time stamps go on with the clock, the pictures where they stopped.
  case stall(after: Duration, for: Duration)
  /// Bytes that belong to no frame after every n-th access unit on an interleaved connection.
  case garbageBetweenFrames(every: Int, bytes: Int)

  // Media
  /// Starts behind a key frame and leaves every key frame out.
  case noKeyFrame
  /// Neither the SDP nor the stream carries parameter sets.
  case noParameterSets
  /// Each packet that ends a NAL unit has the marker, not only the last of the access unit.
  case markerPerNAL
  /// A start code stands before each NAL unit inside the payload.
  case annexBInFU

  /// As plans and the fault catalog call it.
  public var name: String {
    switch self {
    case .status: "status"
    case .noReply: "no-reply"
    case .close: "close"
    case .badCSeq: "bad-cseq"
    case .wrongSSRCInTransport: "wrong-ssrc"
    case .shortTimeout: "short-timeout"
    case .partialReply: "partial-reply"
    case .noSession: "no-session"
    case .badContentBase: "bad-content-base"
    case .badContentLength: "bad-content-length"
    case .headerFold: "header-fold"
    case .bareLF: "bare-lf"
    case .replyInsideFrame: "reply-inside-frame"
    case .redirectLoop: "redirect-loop"
    case .digestAuth: "digest-auth"
    case .staleNonce: "stale-nonce"
    case .noSprop: "no-sprop"
    case .missingRTPMap: "missing-rtpmap"
    case .noControl: "no-control"
    case .badPort: "bad-port"
    case .binarySDP: "binary"
    case .noFinalCRLF: "no-final-crlf"
    case .hugeSDP: "huge"
    case .duplicatePackets: "duplicate"
    case .reorderPackets: "reorder"
    case .timestampJump: "ts-jump"
    case .wrongPayloadType: "wrong-pt"
    case .padding: "padding"
    case .oversize: "oversize"
    case .unknownChannel: "unknown-channel"
    case .markerPerNAL: "marker-per-nal"
    case .ignoreTeardown: "ignore-teardown"
    case .seqJump: "seq-jump"
    case .dropPackets: "drop-packets"
    case .ssrcChange: "ssrc-change"
    case .emptyPayload: "empty-payload"
    case .noSR: "no-sr"
    case .badSRTime: "bad-sr-time"
    case .earlyBye: "early-bye"
    case .stall: "stall"
    case .garbageBetweenFrames: "garbage-between-frames"
    case .noKeyFrame: "no-key-frame"
    case .noParameterSets: "no-parameter-sets"
    case .annexBInFU: "annexb-in-fu"
    }
  }
}

/// The faults in force; none by default. More than one may act in the same session.
public struct RTSPFaults: Hashable, Sendable, ExpressibleByArrayLiteral {
  public var list: [RTSPFault]
  /// How often a fault may still act; as often as it can where there is no number.
  var budgets: [RTSPFault: Int64] = [:]
  public init(_ list: [RTSPFault] = []) { self.list = list }
  public init(arrayLiteral elements: RTSPFault...) { list = elements }

  public var isEmpty: Bool { list.isEmpty }
  public func contains(_ fault: RTSPFault) -> Bool { list.contains(fault) }

  /// Whether clients must show credentials.
  var asksForCredentials: Bool { contains(.digestAuth) || contains(.staleNonce) }

  /// Uses a fault up, once; it is gone when nothing of it is left.
  mutating func spend(_ fault: RTSPFault) {
    guard let left = budgets[fault] else { return }
    budgets[fault] = left - 1
    if left <= 1 { list.removeAll { $0 == fault } }
  }

  /// The first fault for which `pick` gives something.
  func first<T>(_ pick: (RTSPFault) -> T?) -> T? {
    for fault in list { if let found = pick(fault) { return found } }
    return nil
  }

  /// Whether packets have to be made anew from the clip because what they carry differs.
  var changesPayloads: Bool { contains(.annexBInFU) || contains(.noParameterSets) || contains(.oversize) }

  var announcedTimeout: Int? { first { if case .shortTimeout(let s) = $0 { s } else { nil } } }
}
