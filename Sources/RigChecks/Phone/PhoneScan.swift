public import RigWire

/// First look at a phone's capture: where a player asked for the address, and how far the capture reaches.
public struct PhoneScan: Sendable {
  private let wanted: WantedAddress?
  private var analyzer = CaptureAnalyzer(AnalysisContext(), checks: [])
  private var attempts: [FlowKey: Attempt] = [:]
  /// Attempts that were refused, in the order of the capture.
  private var refused: [RTSPOpening] = []

  /// When the last RTP packet had come before each opening; as many as there are openings.
  private var mediaBefore: [Int64: Int64] = [:]

  /// Packets, and the times of the earliest and the latest, ns since 1970 by the phone's clock.
  public private(set) var packets = 0
  public private(set) var first: Int64 = 0
  public private(set) var last: Int64 = 0
  /// Of the first packet.
  public private(set) var link = LinkType.ethernet

  private struct Attempt {
    var time: Int64
    var frame: Int
  }
  private static let attemptLimit = 4_096

  /// - Parameter address: as the device gave it.
  public init(address: String) { wanted = WantedAddress(address) }

  public mutating func see(frame: RawSpan, number: Int, time: Int64, link: LinkType) {
    guard link != .user0 else { return }
    if packets == 0 {
      first = time
      last = time
      self.link = link
    }
    packets += 1
    first = min(first, time)
    last = max(last, time)
    let (openings, media) = (analyzer.openings.count, analyzer.lastMediaTime)
    analyzer.see(frame: frame, number: number, time: time, link: link)
    if analyzer.openings.count > openings, let media, let opening = analyzer.openings.last {
      mediaBefore[opening.time] = media
    }
    let packet = NetworkDissector.dissect(frame, link: link)
    if packet.kind == .tcp { seeAttempt(packet, number, time) }
  }

  private mutating func seeAttempt(_ packet: NetworkPacket, _ number: Int, _ time: Int64) {
    guard let wanted else { return }
    let flags = packet.tcp.flags
    if flags.contains(.syn), !flags.contains(.ack), wanted.isServer(packet.flow.destination) {
      guard attempts.count < PhoneScan.attemptLimit, attempts[packet.flow] == nil else { return }
      attempts[packet.flow] = Attempt(time: time, frame: number)
    } else if let attempt = attempts[packet.flow.reversed] {
      attempts[packet.flow.reversed] = nil
      guard flags.contains(.rst), refused.count < RTSPOpening.limit else { return }
      refused.append(
        RTSPOpening(
          url: "", method: "", time: attempt.time, frame: attempt.frame, client: packet.flow.destination,
          server: packet.flow.source, isRefused: true))
    }
  }

  /// When the last RTP packet came, of all or before an opening; `nil`: none did.
  func lastMedia(before next: RTSPOpening?) -> Int64? {
    guard let next else { return analyzer.lastMediaTime }
    return mediaBefore[next.time]
  }

  /// Where players asked for the address, or tried to, in the order of time.
  public var openings: [RTSPOpening] {
    guard let wanted else { return [] }
    return (analyzer.openings.filter { wanted.matches($0.url) } + refused).sorted { $0.time < $1.time }
  }

  /// Other URLs that were asked for, at most three.
  public var otherURLs: [String] {
    var list: [String] = []
    for opening in analyzer.openings where wanted?.matches(opening.url) != true && !list.contains(opening.url) {
      list.append(opening.url)
      if list.count == 3 { break }
    }
    return list
  }
}
