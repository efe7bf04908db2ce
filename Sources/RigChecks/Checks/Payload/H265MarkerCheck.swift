public import RigModel

/// `h265.marker.au-end`
public struct H265MarkerCheck: WireCheck {
  public static let info = CheckInfo(
    id: "h265.marker.au-end", rule: "The marker stands on the last packet of each access unit, and only there.",
    reference: "RFC 7798 4.1", severity: .error)
  public static let interest = WireInterest(notes: [.markerEarly, .markerMissing])

  public init(_ context: AnalysisContext) {}

  public mutating func see(
    rtp packet: RTPEvent, payload: RawSpan, in world: borrowing WireWorld, log: inout FindingLog
  ) {
    guard packet.stream >= 0, world.streams[packet.stream].codec == .h265 else { return }
    let isEarly = packet.notes.contains(.markerEarly)
    log.note(
      Self.info, isEarly ? "early" : "missing", subject: packet.stream, at: packet.evidence,
      message: isEarly
        ? "packets follow the marker of their own access unit (timestamp \(packet.timestamp))"
        : "the access unit before timestamp \(packet.timestamp) ended without a marker")
  }
}
