public import RigModel
import RigWire

/// `framing.intact`
public struct FramingIntactCheck: WireCheck {
  public static let info = CheckInfo(
    id: "framing.intact",
    rule: "The stream is a gapless row of RTSP messages and interleaved frames of the announced length.",
    reference: "RFC 2326 10.12", severity: .error)
  public static let interest = WireInterest([.framing, .requests, .responses])

  public init(_ context: AnalysisContext) {}

  public mutating func see(_ event: WireEvent, in world: borrowing WireWorld, log: inout FindingLog) {
    if let message = WireMessage(event) {
      guard message.deviations.contains(where: { $0.kind == .unterminatedHeaders }) else { return }
      log.note(
        Self.info, "headers", subject: message.connection, at: message.evidence,
        message: "the headers of \(message.name) do not end: no empty line follows them")
      return
    }
    guard case .framing(let damage) = event else { return }
    let place = damage.place.evidence()
    switch damage.kind {
    case .garbage:
      log.note(
        Self.info, "garbage", subject: damage.connection, at: place,
        message: "\(damage.bytes) bytes that belong to no message and no interleaved frame")
    case .shortFrame:
      log.note(
        Self.info, "short", subject: damage.connection, at: place,
        message: "an interleaved frame lacks \(damage.bytes) bytes of its announced length")
    case .messageInFrame:
      log.note(
        Self.info, "message", subject: damage.connection, at: place,
        message: "an RTSP message stands where the body of an announced interleaved frame should be")
    case .emptyFrame(let channel):
      log.note(
        Self.info, "empty", subject: damage.connection, at: place, severity: .warning,
        message: "an interleaved frame of length 0 on channel \(channel)")
    case .afterMessage, .captureGap, .unassignedChannel: break
    }
  }
}
