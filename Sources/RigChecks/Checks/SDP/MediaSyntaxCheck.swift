public import RigModel
import RigWire

/// `sdp.m.syntax`
public struct MediaSyntaxCheck: WireCheck {
  public static let info = CheckInfo(
    id: "sdp.m.syntax", rule: "m= has a media type, a port up to 65535, a protocol and formats that are payload types.",
    reference: "RFC 4566 5.14", severity: .error)
  public static let interest = WireInterest([.descriptions])

  private static let kinds: Set<SDPDeviation.Kind> = [.badMedia, .badPort]

  public init(_ context: AnalysisContext) {}

  public mutating func see(_ event: WireEvent, in world: borrowing WireWorld, log: inout FindingLog) {
    guard case .description(let description, let response) = event else { return }
    for deviation in description.deviations where Self.kinds.contains(deviation.kind) {
      log.note(
        Self.info, deviation.kind.rawValue, subject: response.connection, at: response.place.evidence(),
        message: "an m= line of the description: \(deviation)")
    }
  }
}
