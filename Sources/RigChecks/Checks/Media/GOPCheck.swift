public import RigModel
import RigWire

/// `media.gop`
public struct GOPCheck: WireCheck {
  public static let info = CheckInfo(
    id: "media.gop", rule: "Key frames come as often as was asked for (iFrameInterval + 1 pictures a group).",
    reference: "iFrameInterval", severity: .error)
  public static let interest = WireInterest()

  private let expected: Int?

  public init(_ context: AnalysisContext) { expected = context.expectedGOP }

  public mutating func finish(in world: borrowing WireWorld, log: inout FindingLog) {
    guard let expected else { return }
    for index in world.streams.indices {
      let stream = world.streams[index]
      guard stream.isConfirmed, stream.codec?.isVideo == true else { continue }
      let place = (stream.firstKey ?? stream.first).evidence(ssrc: stream.ssrc)
      if let longest = stream.groups.longest, longest > expected {
        log.note(
          Self.info, "long", subject: index, at: place,
          message: "a group of \(longest) pictures; \(expected) were asked for")
      } else if stream.groups.count == 0, let open = stream.groups.open, open > expected, stream.sequence.lost == 0 {
        log.note(
          Self.info, "open", subject: index, at: place,
          message: "\(open) pictures without a second key frame; a group of \(expected) was asked for")
      }
      if let shortest = stream.groups.shortest, shortest < expected {
        // Encoders add key frames at scene changes.
        log.note(
          Self.info, "short", subject: index, at: place, severity: .warning,
          message: "a group of \(shortest) pictures; \(expected) were asked for")
      }
    }
  }
}
