public import RigModel

/// `media.gap`
public struct GapCheck: WireCheck {
  public static let info = CheckInfo(
    id: "media.gap", rule: "No stream is silent for more than two seconds while its session plays.",
    reference: "flow limit media-gap", severity: .error)
  public static let interest = WireInterest([.silence])

  public init(_ context: AnalysisContext) {}

  public mutating func see(_ event: WireEvent, in world: borrowing WireWorld, log: inout FindingLog) {
    guard case .silence(let index, let from, let until, let resumed) = event else { return }
    let stream = world.streams[index]
    let length = Duration.nanoseconds(until.time &- from.time).text
    // What the capture lacks proves no silence of the sender.
    let isDoubtful = stream.isInterleaved ? world.missingTCPBytes > 0 : (world.captureDropped ?? 0) > 0
    log.note(
      Self.info, resumed ? "gap" : "end", subject: index, at: from.evidence(ssrc: stream.ssrc),
      severity: isDoubtful ? .warning : nil,
      message: resumed
        ? "\(Hex8(stream.ssrc)) was silent for \(length)"
        : "\(Hex8(stream.ssrc)) stopped \(length) before the capture ended, and its session still plays")
  }
}
