public import RigModel

/// `rtp.version-padding-ext`
public struct RTPHeaderCheck: WireCheck {
  public static let info = CheckInfo(
    id: "rtp.version-padding-ext",
    rule: "RTP packets have version 2, and padding, CSRC list and extension that fit in the packet.",
    reference: "RFC 3550 5.1, 5.3.1", severity: .error)
  public static let interest = WireInterest(notes: [.badVersion, .badPadding, .badExtension, .tooShort])

  public init(_ context: AnalysisContext) {}

  public mutating func see(
    rtp packet: RTPEvent, payload: RawSpan, in world: borrowing WireWorld, log: inout FindingLog
  ) {
    let subject = packet.track >= 0 ? packet.track : packet.stream
    if packet.notes.contains(.tooShort) {
      log.note(Self.info, "short", subject: subject, at: packet.evidence, message: "fewer than 12 bytes of RTP")
    } else if packet.notes.contains(.badVersion) {
      log.note(Self.info, "version", subject: subject, at: packet.evidence, message: "the RTP version is not 2")
    } else if packet.notes.contains(.badPadding) {
      log.note(
        Self.info, "padding", subject: subject, at: packet.evidence,
        message: "the padding count is 0 or exceeds the payload")
    } else {
      log.note(
        Self.info, "extension", subject: subject, at: packet.evidence,
        message: "the header extension or CSRC list goes beyond the packet")
    }
  }
}
