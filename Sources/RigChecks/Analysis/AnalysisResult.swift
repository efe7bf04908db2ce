public import RigModel
import RigWire

/// What a stream was, in numbers.
public struct StreamStatistics: Hashable, Sendable {
  public enum Transport: String, Sendable { case udp, tcp }
  public var ssrc: UInt32
  public var payloadType: UInt8
  /// Encoding name of the description; `nil` where none was seen.
  public var codec: String?
  public var transport: Transport
  /// `10.0.0.1:5004 → 10.0.0.2:6000`, of the datagrams or of the TCP connection.
  public var flow: String
  /// The interleaved channel.
  public var channel: UInt8?
  /// Hz; 90,000 is assumed where no description was seen.
  public var clockRate: UInt32
  /// All that arrived, duplicates included.
  public var packets: Int64
  /// Payload bytes.
  public var bytes: Int64
  /// Packets that end in padding.
  public var padded: Int64
  public var expected: Int
  public var lost: Int
  public var duplicates: Int
  public var reordered: Int
  /// Of the reordered ones, those whose picture was over: a later timestamp had begun.
  public var late: Int
  /// Runs of missing numbers, and how many numbers the longest lacks.
  public var lossBursts: Int
  public var longestBurst: Int
  public var restarts: Int
  /// RFC 3550 A.8, last and greatest, seconds.
  public var jitter: Double
  public var maxJitter: Double
  /// The jitter as it stood after each packet but the first, ms.
  public var jitters: LogHistogram
  /// Nanoseconds since 1970, and packet numbers.
  public var firstTime: Int64
  public var lastTime: Int64
  public var firstFrame: Int
  public var lastFrame: Int
  /// Pictures (or audio packets) with different timestamps.
  public var frames: Int64
  public var keyFrames: Int64
  /// Complete groups of pictures: the first 512 lengths, the shortest and the longest of all.
  public var gopLengths: [Int]
  public var shortestGOP: Int?
  public var longestGOP: Int?
  /// Payload bits per second between first and last packet.
  public var bitRate: Double?
  public var senderReports: Int
  /// Seconds from the source's BYE to the end of its session, or of the capture; `nil` without a BYE.
  public var byeLead: Double?
  /// Pictures (or audio packets) a second by the clock of the capture, and by RTP time; `nil` below two.
  public var frameRate: Double?
  public var mediaFrameRate: Double?
  /// Seconds from key frame to key frame, mean and longest; `nil` below two key frames.
  public var keyInterval: Double?
  public var longestKeyInterval: Double?
  /// How much faster RTP time runs than the sender reports' NTP time, millionths; `nil` without two reports.
  public var drift: Double?
  /// How much faster the sender's NTP time runs than the clock of the capture, millionths.
  public var skew: Double?

  /// Different numbers that came.
  public var received: Int { expected - lost }
  /// RFC 3550 A.8 in units of the clock rate.
  public var jitterTicks: Double { jitter * Double(clockRate) }
  public var maxJitterTicks: Double { maxJitter * Double(clockRate) }
  public var duration: Double { Double(lastTime - firstTime) / 1e9 }

  init(_ stream: MediaStream, in world: WireWorld) {
    ssrc = stream.ssrc
    payloadType = stream.payloadType
    codec = stream.codec?.description
    transport = stream.isInterleaved ? .tcp : .udp
    flow = stream.flow.description
    channel = stream.channel
    clockRate = stream.clockRate
    packets = stream.packets
    bytes = stream.bytes
    padded = stream.padded
    expected = stream.sequence.expected
    lost = stream.sequence.lost
    duplicates = stream.sequence.duplicates
    reordered = stream.sequence.late
    late = stream.tooLate
    lossBursts = stream.bursts.count
    longestBurst = stream.bursts.longest
    restarts = stream.sequence.restarts
    jitter = stream.jitter.seconds
    maxJitter = stream.maxJitter / Double(max(1, stream.clockRate))
    jitters = stream.jitters
    firstTime = stream.first.time
    lastTime = stream.last.time
    firstFrame = stream.first.frame
    lastFrame = stream.last.frame
    frames = stream.frames
    keyFrames = stream.keyFrames
    gopLengths = stream.groups.lengths
    shortestGOP = stream.groups.shortest
    longestGOP = stream.groups.longest
    bitRate = stream.bitRate
    senderReports = stream.senderReports
    if stream.track >= 0, let bye = world.tracks[stream.track].sourceBye {
      let session = world.tracks[stream.track].session
      let end = session >= 0 ? world.sessions[session].endedAt?.time : nil
      byeLead = Double((end ?? world.now) &- bye.place.time) / 1e9
    }
    let media = Double(stream.mediaTicks) / Double(max(1, stream.clockRate))
    if stream.frames > 1 {
      let wall = Double(stream.last.time &- stream.first.time) / 1e9
      frameRate = wall > 0 ? Double(stream.frames - 1) / wall : nil
      mediaFrameRate = media > 0 ? Double(stream.frames - 1) / media : nil
    }
    if let first = stream.firstKey, stream.keyFrames > 1 {
      keyInterval = Double(stream.lastKeyTime &- first.time) / 1e9 / Double(stream.keyFrames - 1)
      longestKeyInterval = Double(stream.longestKeyInterval) / 1e9
    }
    drift = stream.reports.drift(clockRate: stream.clockRate)
    skew = stream.reports.skew
  }
}

/// What an analysis found.
public struct AnalysisResult: Sendable {
  public var findings: [Finding]
  /// Confirmed RTP streams in the order of their first packet.
  public var streams: [StreamStatistics]
  /// Packets of the capture that were looked at, and RTP packets among them.
  public var packets: Int64
  public var mediaPackets: Int64
  /// What clients asked for and what they got; the first 512.
  public var exchanges: [RTSPExchange]
  /// RTSP dialogues, sessions and tracks.
  public var dialogues: Int
  public var sessions: Int
  public var tracks: Int
  /// IP datagrams of which a fragment never came.
  public var incompleteDatagrams: Int
  /// Packets that their receiver dropped for a wrong checksum: they count as not received.
  public var damagedPackets: Int64
  /// Bytes that the capture lacks in RTSP connections.
  public var missingTCPBytes: Int64
  /// Bytes of RTSP connections behind others that never came: their receiver's program did not get them.
  public var undeliveredTCPBytes: Int64
  /// How far apart audio and video of each session arrive.
  public var offsets: [MediaOffset]
  /// RTSP in TLS or in HTTP: named, and not judged. The first of them, at most 64, and how many there were.
  public var unjudged: [UnjudgedConnection]
  public var unjudgedCount: Int
  /// Ids of the checks that ran.
  public var judged: [String]
  /// Why a group of checks is too weak for a verdict, by group (`rtp`).
  public var inconclusive: [String: String]

  init(_ analyzer: CaptureAnalyzer) {
    findings = analyzer.findings
    streams = analyzer.world.streams.filter(\.isConfirmed).map {
      StreamStatistics($0, in: analyzer.world)
    }
    packets = analyzer.packets
    mediaPackets = analyzer.mediaPackets
    exchanges = analyzer.exchanges
    dialogues = analyzer.connections.count { $0.kind == .rtsp }
    sessions = analyzer.world.sessions.count
    tracks = analyzer.world.tracks.count
    incompleteDatagrams = analyzer.fragments.incomplete
    damagedPackets = analyzer.world.damagedPackets
    missingTCPBytes = analyzer.world.missingTCPBytes
    undeliveredTCPBytes = analyzer.world.undeliveredTCPBytes
    offsets = MediaOffset.all(in: analyzer.world)
    unjudged = analyzer.unjudged
    unjudgedCount = analyzer.unjudgedCount
    judged = analyzer.checks.map { type(of: $0).info.id }
    inconclusive = [:]
    let dropped = analyzer.world.captureDropped
    let doubtful = analyzer.world.streams.contains { $0.isConfirmed && !$0.isInterleaved && $0.sequence.lost > 0 }
    if let dropped, dropped > 0 {
      inconclusive["rtp"] = "packets dropped by the capture: \(dropped); counts may be too low"
    } else if doubtful, dropped == nil {
      inconclusive["rtp"] = "it is not known whether the capture dropped packets"
    }
    if analyzer.world.missingTCPBytes > 0 {
      inconclusive["framing"] = "the capture lacks \(analyzer.world.missingTCPBytes) bytes of RTSP connections"
    }
  }

  public var worst: Severity? { findings.map(\.severity).max() }

  /// The findings by group of checks, in the order of the catalogue: what a run record holds.
  public var groups: [CheckGroupRecord] {
    var order: [String] = []
    for id in judged {
      let group = String(id.prefix { $0 != "." })
      if !order.contains(group) { order.append(group) }
    }
    return order.map { group in
      CheckGroupRecord(
        group: group, judged: judged.filter { $0.hasPrefix(group + ".") }, inconclusive: inconclusive[group] ?? "",
        findings: findings.filter { $0.check.hasPrefix(group + ".") })
    }
  }
}
