public import RigModel

/// `media.bitrate`
public struct BitRateCheck: WireCheck {
  public static let info = CheckInfo(
    id: "media.bitrate", rule: "The video has about the bit rate that was asked for (half to one and a half).",
    reference: "bitrate", severity: .warning)
  public static let interest = WireInterest()

  private let asked: BitRate?

  public init(_ context: AnalysisContext) { asked = context.askedBitRate }

  public mutating func finish(in world: borrowing WireWorld, log: inout FindingLog) {
    guard let asked, asked.bitsPerSecond > 0 else { return }
    for index in world.streams.indices {
      let stream = world.streams[index]
      // Less than two seconds say little of an average.
      guard stream.isConfirmed, stream.codec?.isVideo == true, stream.last.time &- stream.first.time > 2_000_000_000,
        let rate = stream.bitRate
      else { continue }
      let share = rate / Double(asked.bitsPerSecond)
      guard share < 0.5 || share > 1.5 else { continue }
      log.note(
        Self.info, "average", subject: index, at: stream.last.evidence(ssrc: stream.ssrc),
        message:
          "\(BitRate(bitsPerSecond: Int64(min(rate, 1e15)))) on average; \(asked) were asked for")
    }
  }
}
