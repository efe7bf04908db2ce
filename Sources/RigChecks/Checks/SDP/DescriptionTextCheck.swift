public import RigModel
import RigWire

/// `sdp.text`
public struct DescriptionTextCheck: WireCheck {
  public static let info = CheckInfo(
    id: "sdp.text", rule: "The description is UTF-8 text of lines \"letter=value\" that end in CR LF.",
    reference: "RFC 4566 5", severity: .error)
  public static let interest = WireInterest([.descriptions])

  private static let kinds: Set<SDPDeviation.Kind> = [
    .notUTF8, .controlBytes, .badLine, .tooLarge, .bareLF, .noFinalLineEnd, .emptyLine, .order,
  ]
  private static let usualSize = 16_384
  private static let minor: Set<SDPDeviation.Kind> = [.bareLF, .noFinalLineEnd, .emptyLine, .order]

  public init(_ context: AnalysisContext) {}

  public mutating func see(_ event: WireEvent, in world: borrowing WireWorld, log: inout FindingLog) {
    guard case .description(let description, let response) = event else { return }
    let size = response.message.body.count
    if size > Self.usualSize {
      log.note(
        Self.info, "size", subject: response.connection, at: response.place.evidence(), severity: .warning,
        message: "the description has \(size) bytes: many players read no more than \(Self.usualSize)")
    }
    for deviation in description.deviations where Self.kinds.contains(deviation.kind) {
      log.note(
        Self.info, deviation.kind.rawValue, subject: response.connection, at: response.place.evidence(),
        severity: Self.minor.contains(deviation.kind) ? .warning : nil,
        message: "the text of the description: \(deviation)")
    }
  }
}
