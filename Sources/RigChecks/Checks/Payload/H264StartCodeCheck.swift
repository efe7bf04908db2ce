public import RigModel

/// `h264.no-startcode`
///
/// Three bytes `00 00 01` cannot stand in a NAL unit (ISO/IEC 14496-10 7.4.1): they are the byte stream's, not RTP's.
/// Whole payloads are searched for the first 4,096 packets of a stream, after that the first 128 bytes of each.
public struct H264StartCodeCheck: WireCheck {
  public static let info = CheckInfo(
    id: "h264.no-startcode", rule: "No start codes of the byte stream format stand in the payload.",
    reference: "RFC 6184 5.6", severity: .error)
  public static let interest = WireInterest(everyPacket: true)

  private static let wholePackets: Int64 = 4096
  private static let headBytes = 128

  public init(_ context: AnalysisContext) {}

  public mutating func see(
    rtp packet: RTPEvent, payload: RawSpan, in world: borrowing WireWorld, log: inout FindingLog
  ) {
    guard packet.stream >= 0, world.streams[packet.stream].codec == .h264 else { return }
    let isWhole = world.streams[packet.stream].packets <= Self.wholePackets
    let end = isWhole ? payload.byteCount : min(payload.byteCount, Self.headBytes)
    guard let offset = Self.startCode(in: payload, upTo: end) else { return }
    var place = packet.evidence
    place.offset = Int64(offset)
    log.note(
      Self.info, "code", subject: packet.stream, at: place,
      message: "a start code 00 00 01 at byte \(offset) of the payload")
  }

  /// Looks at every third byte: a start code cannot slip between.
  private static func startCode(in bytes: RawSpan, upTo end: Int) -> Int? {
    func byte(_ at: Int) -> UInt8 { bytes.unsafeLoad(fromByteOffset: at, as: UInt8.self) }
    var at = 2
    while at < end {
      let last = byte(at)
      if last > 1 {
        at += 3
      } else if last == 1 {
        if byte(at - 1) == 0, byte(at - 2) == 0 { return at - 2 }
        at += 3
      } else {
        at += 1
      }
    }
    return nil
  }
}
