public import RigModel

/// `h264.stap`
public struct H264AggregateCheck: WireCheck {
  public static let info = CheckInfo(
    id: "h264.stap", rule: "Packets are single NAL units, STAP-A with sizes that add up, or FU-A.",
    reference: "RFC 6184 5.2, 5.7.1, 6.2–6.3", severity: .error)
  public static let interest = WireInterest(notes: .badPacketization)

  public init(_ context: AnalysisContext) {}

  public mutating func see(
    rtp packet: RTPEvent, payload: RawSpan, in world: borrowing WireWorld, log: inout FindingLog
  ) {
    guard packet.stream >= 0, world.streams[packet.stream].codec == .h264, payload.byteCount > 0 else { return }
    let type = payload.unsafeLoad(fromByteOffset: 0, as: UInt8.self) & 31
    log.note(
      Self.info, "type \(type)", subject: packet.stream, at: packet.evidence,
      message: type == 24 ? "the sizes in a STAP-A do not add up" : "payload structure \(type) is not allowed here")
  }
}
