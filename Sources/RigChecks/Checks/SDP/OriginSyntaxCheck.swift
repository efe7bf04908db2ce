public import RigModel
import RigWire

/// `sdp.o.syntax`
public struct OriginSyntaxCheck: WireCheck {
  public static let info = CheckInfo(
    id: "sdp.o.syntax", rule: "o= has six fields, its ids are digits, its address fits its type.",
    reference: "RFC 4566 5.2", severity: .error)
  public static let interest = WireInterest([.descriptions])

  private static let kinds: Set<SDPDeviation.Kind> = [.badOrigin, .addressType]
  private static let minor: Set<SDPDeviation.Kind> = [.addressType]

  public init(_ context: AnalysisContext) {}

  public mutating func see(_ event: WireEvent, in world: borrowing WireWorld, log: inout FindingLog) {
    guard case .description(let description, let response) = event else { return }
    for deviation in description.deviations where Self.kinds.contains(deviation.kind) {
      log.note(
        Self.info, deviation.kind.rawValue, subject: response.connection, at: response.place.evidence(),
        severity: Self.minor.contains(deviation.kind) ? .warning : nil,
        message: "the o= line of the description: \(deviation)")
    }
  }
}
