public import RigModel

/// `h264.fu`
public struct H264FragmentCheck: WireCheck {
  public static let info = CheckInfo(
    id: "h264.fu", rule: "The fragments of a NAL unit begin with S, end with E, never have both, and lie together.",
    reference: "RFC 6184 5.8", severity: .error)
  public static let interest = WireInterest(notes: .badFragment)

  public init(_ context: AnalysisContext) {}

  public mutating func see(
    rtp packet: RTPEvent, payload: RawSpan, in world: borrowing WireWorld, log: inout FindingLog
  ) {
    guard packet.stream >= 0, world.streams[packet.stream].codec == .h264 else { return }
    let isFragment = payload.byteCount >= 2 && payload.unsafeLoad(fromByteOffset: 0, as: UInt8.self) & 31 == 28
    let header = isFragment ? payload.unsafeLoad(fromByteOffset: 1, as: UInt8.self) : 0
    let kind: (String, String) =
      switch (isFragment, header & 0xc0) {
      case (false, _): ("open", "a NAL unit begins before the fragments of the one before have ended")
      case (true, 0xc0): ("both", "a fragment has S and E both set")
      case (true, 0x80): ("restart", "a fragment begins a NAL unit before the one before has ended")
      default: ("start", "fragments go on that never began, or carry a type that cannot be fragmented")
      }
    log.note(Self.info, kind.0, subject: packet.stream, at: packet.evidence, message: kind.1)
  }
}
