public import RigModel
import RigWire

/// `rtsp.content-length.exact`
public struct ContentLengthCheck: WireCheck {
  public static let info = CheckInfo(
    id: "rtsp.content-length.exact", rule: "Content-Length is the number of bytes of the body, no more and no less.",
    reference: "RFC 2326 12.14", severity: .error)
  public static let interest = WireInterest([.requests, .responses, .framing])

  public init(_ context: AnalysisContext) {}

  public mutating func see(_ event: WireEvent, in world: borrowing WireWorld, log: inout FindingLog) {
    if case .framing(let damage) = event {
      guard case .afterMessage(let length, _, _) = damage.kind else { return }
      let announced = length.map { "Content-Length \($0)" } ?? "no Content-Length"
      log.note(
        Self.info, "surplus", subject: damage.connection, at: damage.place.evidence(),
        message: "\(damage.bytes) bytes follow a message that has \(announced)")
      return
    }
    guard let message = WireMessage(event) else { return }
    for deviation in message.deviations {
      switch deviation.kind {
      case .shortBody:
        log.note(
          Self.info, "short", subject: message.connection, at: message.evidence,
          message: "the body of \(message.name) is shorter than its Content-Length: \(deviation.detail)")
      case .badContentLength:
        log.note(
          Self.info, "malformed", subject: message.connection, at: message.evidence,
          message: "the Content-Length of \(message.name) is no number: \(deviation.detail)")
      default: break
      }
    }
  }
}
