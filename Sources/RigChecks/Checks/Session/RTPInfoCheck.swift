public import RigModel
import RigWire

/// `play.rtp-info`
public struct RTPInfoCheck: WireCheck {
  public static let info = CheckInfo(
    id: "play.rtp-info",
    rule: "The response to PLAY has RTP-Info, whose seq and rtptime are those of the first packet.",
    reference: "RFC 2326 12.33", severity: .warning)
  public static let interest = WireInterest([.responses], notes: .firstPacket)

  private struct Start: Sendable {
    var sequence: UInt16
    var timestamp: UInt32
    var evidence: Evidence
  }
  private struct Promise: Sendable {
    var sequence: UInt16?
    var rtpTime: UInt32?
    var evidence: Evidence
  }
  private var starts: [Int: Start] = [:]
  private var promises: [Int: Promise] = [:]

  public init(_ context: AnalysisContext) {}

  public mutating func see(_ event: WireEvent, in world: borrowing WireWorld, log: inout FindingLog) {
    guard case .response(let response) = event, response.isSuccess, let request = response.request,
      request.method == "PLAY"
    else { return }
    let place = response.place.evidence(
      sequence: response.message.cseq.map { Int64($0) }, excerpt: response.message.startLine)
    guard let value = response.message.headers["RTP-Info"] else {
      log.note(
        Self.info, "missing", subject: response.connection, at: place,
        message: "PLAY was answered without RTP-Info: where the media begins must be guessed")
      return
    }
    let header = RTPInfoHeader(parsing: value)
    let streams = header.streams
    for deviation in header.deviations.prefix(16) {
      log.note(
        Self.info, deviation.kind.rawValue, subject: response.connection, at: place,
        message: "RTP-Info does not keep to its grammar: \(deviation)")
    }
    for index in world.tracks.indices where world.tracks[index].connection == response.connection {
      let url = world.tracks[index].url
      let entry = streams.first { $0.url == url || url.hasSuffix("/" + $0.url) || $0.url == String(url.dropLast()) }
      // A second PLAY continues the stream: its first packet is long past.
      if let entry, promises[index] == nil, starts.count < 16_384 {
        promises[index] = Promise(sequence: entry.sequence, rtpTime: entry.rtpTime, evidence: place)
      }
    }
  }

  public mutating func see(
    rtp packet: RTPEvent, payload: RawSpan, in world: borrowing WireWorld, log: inout FindingLog
  ) {
    guard packet.track >= 0, starts[packet.track] == nil else { return }
    starts[packet.track] = Start(
      sequence: packet.sequence, timestamp: packet.timestamp, evidence: packet.evidence)
  }

  public mutating func finish(in world: borrowing WireWorld, log: inout FindingLog) {
    for (index, start) in starts.sorted(by: { $0.key < $1.key }) {
      guard let promise = promises[index] else { continue }
      let track = world.tracks[index]
      if let sequence = promise.sequence, Int16(bitPattern: start.sequence &- sequence).magnitude > 1000 {
        log.note(
          Self.info, "seq", subject: index, at: start.evidence,
          message: "RTP-Info announced seq=\(sequence) for \(track.url), and the first packet has \(start.sequence)")
      }
      let away = Double(Int32(bitPattern: start.timestamp &- (promise.rtpTime ?? start.timestamp)))
      if abs(away) > 60 * Double(track.clockRate) {
        log.note(
          Self.info, "rtptime", subject: index, at: start.evidence,
          message:
            "RTP-Info announced rtptime=\(promise.rtpTime ?? 0) for \(track.url), "
            + "and the first packet has \(start.timestamp)"
        )
      }
    }
  }
}
