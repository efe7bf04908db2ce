public import RigModel
import RigWire

/// `sdp.c.syntax`
public struct ConnectionSyntaxCheck: WireCheck {
  public static let info = CheckInfo(
    id: "sdp.c.syntax", rule: "c= has network type, address type and address.", reference: "RFC 4566 5.7",
    severity: .error)
  public static let interest = WireInterest([.descriptions])

  private static let kinds: Set<SDPDeviation.Kind> = [.badConnection]

  public init(_ context: AnalysisContext) {}

  public mutating func see(_ event: WireEvent, in world: borrowing WireWorld, log: inout FindingLog) {
    guard case .description(let description, let response) = event else { return }
    for deviation in description.deviations where Self.kinds.contains(deviation.kind) {
      log.note(
        Self.info, deviation.kind.rawValue, subject: response.connection, at: response.place.evidence(),
        message: "the c= line of the description: \(deviation)")
    }
  }
}
