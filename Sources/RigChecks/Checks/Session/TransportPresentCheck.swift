public import RigModel
import RigWire

/// `transport.present`
public struct TransportPresentCheck: WireCheck {
  public static let info = CheckInfo(
    id: "transport.present", rule: "The response to a successful SETUP has a Transport header.",
    reference: "RFC 2326 12.39", severity: .error)
  public static let interest = WireInterest([.responses])

  public init(_ context: AnalysisContext) {}

  public mutating func see(_ event: WireEvent, in world: borrowing WireWorld, log: inout FindingLog) {
    guard case .response(let response) = event, response.isSuccess, response.request?.method == "SETUP",
      response.message.headers["Transport"] == nil
    else { return }
    log.note(
      Self.info, "missing", subject: response.connection,
      at: response.place.evidence(
        sequence: response.message.cseq.map { Int64($0) }, excerpt: response.message.startLine),
      message: "SETUP was answered without a Transport header")
  }
}
