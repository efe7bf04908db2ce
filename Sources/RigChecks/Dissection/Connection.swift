import RigWire

/// One TCP connection: both byte streams, and the RTSP dialogue on them if it is one.
struct Connection: Sendable {
  enum Kind: Sendable { case unknown, rtsp, other }

  /// One direction with its parser.
  struct Side: Sendable {
    var stream = TCPDirection()
    var parser = RTSPParser()
    /// Stream offset of the parser's first byte: a hole in the stream starts a new parser.
    var parserBase: Int64 = 0
    var checksums = ChecksumTrust()
    /// First bytes, until they tell what is spoken.
    var prefix: [UInt8] = []
    var chunks = 0
    /// The parser has been given bytes since it was made.
    var hasBegun = false
    /// The next damage is the capture's: it began in the middle, or lacks bytes.
    var isHurt = false
    /// The item before was a message, so that garbage now speaks against its Content-Length.
    var lastMessage: RTSPMessage?
    /// Requests of this side that wait for a response, oldest first.
    var open: [RTSPRequest] = []
    /// Once this side has sent its FIN or a reset: how far it had acknowledged the other side's stream by then. What lies
    /// beyond crossed the close.
    var acknowledgedAtClose: Int64?
    /// Bytes of this side that are missing, or were never delivered, as far as the analysis has taken note of them.
    var knownMissing: Int64 = 0
    var knownUndelivered: Int64 = 0
    /// Index into the analyzer's routes by channel; -1 where there is none.
    var routes: [UInt8: Int] = [:]
  }

  /// From the side that opened the connection, or was seen first.
  let key: FlowKey
  var kind = Kind.unknown
  var sides = [Side(), Side()]
  /// Which side sends requests; `nil` until told.
  var clientSide: Int?
  var assigned: [UInt8: ChannelAssignment] = [:]
  /// Channels of SETUP requests not yet answered.
  var asked: Set<UInt8> = []
  var descriptions: [(base: String, session: SDPSession)] = []
  var sessions: [String: Int] = [:]
  var hasTracks = false
  var isEnded = false
  /// The side that closed or reset first.
  var firstCloser: Int?
  var unassignedSeen: Set<UInt8> = []

  init(key: FlowKey) { self.key = key }

  /// Seen from its SYN on both sides and without a hole so far.
  var isWhole: Bool { sides.allSatisfy { $0.stream.sawStart && $0.stream.gaps == 0 } }

  /// Both sides have said that they send no more.
  var isClosed: Bool { sides.allSatisfy { $0.acknowledgedAtClose != nil } }

  var client: Endpoint { clientSide == 1 ? key.destination : key.source }
  var server: Endpoint { clientSide == 1 ? key.source : key.destination }

  func flow(from side: Int) -> FlowKey { side == 0 ? key : key.reversed }
}

struct ChannelAssignment: Sendable {
  var track: Int
  var isRTCP: Bool
}

/// Where the packets of one flow, or one interleaved channel, belong.
struct Route: Sendable {
  enum Role: Sendable {
    case rtp
    case rtcp
    /// From the receiver: reports, or packets that open a path through a firewall.
    case receiver
    case unknown
    case ignored
  }

  var role: Role
  var track: Int
  var flow: FlowKey
  var channel: UInt8?
  var connection = -1
  var tries = 0
  var checksums = ChecksumTrust()
  /// Streams by SSRC, at most `streamLimit`.
  var streams: [(ssrc: UInt32, index: Int)] = []
  var lastSSRC: UInt32 = 0
  var lastStream = -1

  static let streamLimit = 64
}
