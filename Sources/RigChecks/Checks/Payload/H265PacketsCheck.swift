public import RigModel

/// `h265.packets`
public struct H265PacketsCheck: WireCheck {
  public static let info = CheckInfo(
    id: "h265.packets", rule: "Packets are single NAL units, aggregates with sizes that add up, or whole fragments.",
    reference: "RFC 7798 4.4", severity: .error)
  public static let interest = WireInterest(notes: [.badFragment, .badPacketization])

  public init(_ context: AnalysisContext) {}

  public mutating func see(
    rtp packet: RTPEvent, payload: RawSpan, in world: borrowing WireWorld, log: inout FindingLog
  ) {
    guard packet.stream >= 0, world.streams[packet.stream].codec == .h265 else { return }
    if packet.notes.contains(.badFragment) {
      log.note(
        Self.info, "fragment", subject: packet.stream, at: packet.evidence,
        message: "the fragments of a NAL unit do not begin with S, end with E and lie together")
    } else {
      log.note(
        Self.info, "structure", subject: packet.stream, at: packet.evidence,
        message: "an aggregate whose sizes do not add up, or an unknown payload structure")
    }
  }
}
