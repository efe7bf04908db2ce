public import RigModel
import RigWire

/// `timing.clock-rate`
public struct ClockRateCheck: WireCheck {
  public static let info = CheckInfo(
    id: "timing.clock-rate", rule: "RTP time runs as fast as the clock on the wall (within a tenth).",
    reference: "RFC 3550 5.1, A.8", severity: .warning)
  public static let interest = WireInterest()

  private static let shortest: Int64 = 5_000_000_000

  public init(_ context: AnalysisContext) {}

  public mutating func finish(in world: borrowing WireWorld, log: inout FindingLog) {
    for index in world.streams.indices {
      let stream = world.streams[index]
      let wall = stream.last.time &- stream.first.time
      guard stream.isConfirmed, stream.track >= 0, wall >= Self.shortest, stream.sequence.restarts == 0 else {
        continue
      }
      let media = Double(stream.mediaTicks) / Double(max(1, stream.clockRate))
      let ratio = media / (Double(wall) / 1e9)
      guard ratio < 0.9 || ratio > 1.1 else { continue }
      log.note(
        Self.info, "rate", subject: index, at: stream.last.evidence(ssrc: stream.ssrc),
        message:
          "\(Decimal3(media)) s of media in \(Duration.nanoseconds(wall).text): \(Decimal3(ratio)) times real time")
    }
  }
}
