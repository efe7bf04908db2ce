public import RigWire

/// What is known so far: tracks, sessions and streams by index, in the order in which they appeared.
///
/// All lists are bounded; what exceeds a bound is counted in `ignored` and not followed.
public struct WireWorld: Sendable {
  static let trackLimit = 16_384
  static let sessionLimit = 8_192
  static let streamLimit = 4_096

  public internal(set) var tracks: [MediaTrack] = []
  public internal(set) var sessions: [RTSPSession] = []
  public internal(set) var streams: [MediaStream] = []
  /// Capture time of the first and the latest packet, ns since 1970.
  public internal(set) var firstTime: Int64 = 0
  public internal(set) var now: Int64 = 0
  /// Number of the latest packet.
  public internal(set) var lastFrame = 0
  /// Packets that the capture lost; `nil`: unknown.
  public internal(set) var captureDropped: UInt64?
  /// Bytes that the capture lacks in TCP streams of RTSP.
  public internal(set) var missingTCPBytes: Int64 = 0
  /// Bytes of RTSP connections behind others that never came: their receiver's program did not get them.
  public internal(set) var undeliveredTCPBytes: Int64 = 0
  /// IP datagrams of which a fragment never came; known at the end.
  public internal(set) var incompleteDatagrams = 0
  /// Packets that their receiver dropped for a wrong checksum; they are not judged.
  public internal(set) var damagedPackets: Int64 = 0
  /// Tracks, sessions and streams beyond the bounds.
  public internal(set) var ignored = 0

  init() {}

  /// Whether a hole in sequence numbers is proven to be the sender's or the network's, and not the capture's.
  public func lossIsProven(stream: Int) -> Bool {
    guard streams.indices.contains(stream) else { return false }
    return streams[stream].isInterleaved ? missingTCPBytes == 0 : captureDropped == 0
  }
}

/// An RTSP session (RFC 2326 12.37).
public struct RTSPSession: Sendable {
  public enum State: Sendable {
    case ready, playing, paused, tornDown, expired
    /// The client took its leave by a TEARDOWN that the server never acknowledged.
    case left
  }

  public var id: String
  public var server: Endpoint
  public var client: Endpoint
  public var connection: Int
  /// Seconds; 60 where the server does not say.
  public var timeout: Int
  /// The server said so.
  public var statesTimeout: Bool
  public var state: State = .ready
  public var tracks: [Int] = []
  /// The last sign of life of the client: a request that names the session, or a receiver report. ns since 1970.
  public var lastSign: Int64
  public var playedAt: WirePlace?
  public var endedAt: WirePlace?
  public var isOver: Bool { state == .tornDown || state == .expired }
}

/// A media of a session, set up by SETUP.
public struct MediaTrack: Sendable {
  public enum Transport: Sendable {
    case udp(clientPort: UInt16, serverPort: UInt16?)
    case interleaved(channel: UInt8)
    case multicast(port: UInt16)
  }

  public var connection: Int
  public var session: Int
  public var url: String
  public var transport: Transport
  public var header: TransportHeader
  /// The media section that the URL belongs to; `nil` where no description was seen.
  public var media: SDPMedia?
  public var codec: MediaCodec?
  public var clockRate: UInt32
  /// Announced in the Transport header.
  public var ssrc: UInt32?
  /// Streams that arrived on it, in order.
  public internal(set) var streams: [Int] = []
  public internal(set) var senderReports = 0
  public internal(set) var sourceBye: SourceBye?
  public var place: WirePlace

  /// Of H.264 (RFC 6184 8.1), 0 where the description states none; `nil` where no description was seen.
  public internal(set) var packetizationMode: Int?
  public internal(set) var statesPacketizationMode = false
  /// The sequence parameter set of the description says that pictures come in display order.
  public internal(set) var promisesOrder = false
  /// Width, height and frames a second (where stated) by the description's sequence parameter set.
  public internal(set) var picture: PictureFormat?

  var payloadTypes: [UInt8] = []
  /// `a=fmtp` packetization of AAC.
  var aac: AACFormatParameters?

  public var isInterleaved: Bool { if case .interleaved = transport { true } else { false } }
}

/// The BYE of a source (RFC 3550 6.6), and what its sender had received by then.
public struct SourceBye: Hashable, Sendable {
  public var place: WirePlace
  /// The connection that carried it, -1 where it came in a datagram, and how far its sender had acknowledged the other
  /// side's stream there.
  var connection = -1
  var acknowledged: Int64?
}

/// The payload formats that the checks look into; others are known by name only.
public enum MediaCodec: Hashable, Sendable, CustomStringConvertible {
  case h264, h265, aac
  case other(String)

  init(encoding: String) {
    switch encoding.uppercased() {
    case "H264": self = .h264
    case "H265", "HEVC": self = .h265
    case "MPEG4-GENERIC": self = .aac
    default: self = .other(encoding)
    }
  }

  public var description: String {
    switch self {
    case .h264: "H264"
    case .h265: "H265"
    case .aac: "MPEG4-GENERIC"
    case .other(let name): name
    }
  }

  public var isVideo: Bool { self == .h264 || self == .h265 }
}
