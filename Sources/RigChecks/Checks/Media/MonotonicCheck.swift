public import RigModel

/// `timing.monotonic`
public struct MonotonicCheck: WireCheck {
  public static let info = CheckInfo(
    id: "timing.monotonic", rule: "RTP timestamps go forward (pictures may be reordered) and keep to the clock.",
    reference: "RFC 3550 5.1", severity: .error)
  public static let interest = WireInterest(notes: [.timestampBack, .timestampJump])

  public init(_ context: AnalysisContext) {}

  public mutating func see(
    rtp packet: RTPEvent, payload: RawSpan, in world: borrowing WireWorld, log: inout FindingLog
  ) {
    guard packet.stream >= 0 else { return }
    let clock = Double(max(1, world.streams[packet.stream].clockRate))
    let step = Duration.nanoseconds(Int64(Double(packet.timestampStep) / clock * 1e9)).text
    if packet.notes.contains(.timestampBack) {
      log.note(
        Self.info, "back", subject: packet.stream, at: packet.evidence,
        message: "the timestamp of \(Hex8(packet.ssrc)) moved by \(step)")
    } else {
      log.note(
        Self.info, "jump", subject: packet.stream, at: packet.evidence,
        message: "the timestamp of \(Hex8(packet.ssrc)) moved by \(step) at once")
    }
  }
}
