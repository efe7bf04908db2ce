public import RigModel
import RigWire

/// `sdp.mandatory`
public struct MandatoryLinesCheck: WireCheck {
  public static let info = CheckInfo(
    id: "sdp.mandatory", rule: "A description has v=, o=, s= and t=, and c= for the session or each media.",
    reference: "RFC 4566 5", severity: .error)
  public static let interest = WireInterest([.descriptions])

  public init(_ context: AnalysisContext) {}

  public mutating func see(_ event: WireEvent, in world: borrowing WireWorld, log: inout FindingLog) {
    guard case .description(let description, let response) = event else { return }
    let place = response.place.evidence()
    for deviation in description.deviations where deviation.kind == .missingLine {
      log.note(
        Self.info, deviation.detail, subject: response.connection, at: place,
        message: "the description lacks a mandatory line: \(deviation.detail)")
    }
    if description.connection == nil, description.media.contains(where: { $0.connection == nil }) {
      log.note(
        Self.info, "c", subject: response.connection, at: place, severity: .warning,
        message: "neither the session nor each media has a c= line")
    }
    if description.media.isEmpty {
      log.note(Self.info, "m", subject: response.connection, at: place, message: "the description has no media")
    }
  }
}
