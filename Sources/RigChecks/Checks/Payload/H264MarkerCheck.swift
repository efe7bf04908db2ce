public import RigModel

/// `h264.marker.au-end`
public struct H264MarkerCheck: WireCheck {
  public static let info = CheckInfo(
    id: "h264.marker.au-end", rule: "The marker stands on the last packet of each access unit, and only there.",
    reference: "RFC 6184 5.1", severity: .error)
  public static let interest = WireInterest(notes: [.markerEarly, .markerMissing])

  public init(_ context: AnalysisContext) {}

  public mutating func see(
    rtp packet: RTPEvent, payload: RawSpan, in world: borrowing WireWorld, log: inout FindingLog
  ) {
    guard packet.stream >= 0, world.streams[packet.stream].codec == .h264 else { return }
    if packet.notes.contains(.markerEarly) {
      log.note(
        Self.info, "early", subject: packet.stream, at: packet.evidence,
        message: "packets follow the marker of their own access unit (timestamp \(packet.timestamp))")
    } else {
      log.note(
        Self.info, "missing", subject: packet.stream, at: packet.evidence,
        message: "the access unit before timestamp \(packet.timestamp) ended without a marker")
    }
  }
}
