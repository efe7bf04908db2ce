public import RigModel
import RigWire

/// `sdp.fmtp.pt`
public struct FormatTypeCheck: WireCheck {
  public static let info = CheckInfo(
    id: "sdp.fmtp.pt", rule: "a=fmtp and a=rtpmap name payload types that their m= line lists.",
    reference: "RFC 4566 6", severity: .error)
  public static let interest = WireInterest([.descriptions])

  public init(_ context: AnalysisContext) {}

  public mutating func see(_ event: WireEvent, in world: borrowing WireWorld, log: inout FindingLog) {
    guard case .description(let description, let response) = event else { return }
    for deviation in description.deviations where deviation.kind == .foreignPayloadType {
      log.note(
        Self.info, deviation.detail, subject: response.connection, at: response.place.evidence(),
        message: "line \(deviation.line) names a payload type that its m= line does not list: \(deviation.detail)")
    }
  }
}
