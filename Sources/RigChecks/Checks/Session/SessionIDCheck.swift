public import RigModel
import RigWire

/// `session.id.stable`
public struct SessionIDCheck: WireCheck {
  public static let info = CheckInfo(
    id: "session.id.stable",
    rule: "SETUP is answered with a session, and later responses name the one that was asked for.",
    reference: "RFC 2326 12.37", severity: .error)
  public static let interest = WireInterest([.requests, .responses])

  public init(_ context: AnalysisContext) {}

  public mutating func see(_ event: WireEvent, in world: borrowing WireWorld, log: inout FindingLog) {
    if case .request(let request) = event, request.message.session?.timeout != nil {
      log.note(
        Self.info, "timeout", subject: request.connection,
        at: request.place.evidence(
          sequence: request.message.cseq.map { Int64($0) }, excerpt: request.message.headers["Session"]),
        severity: .warning,
        message: "\(request.method) carries timeout= in its Session header: only the id belongs there")
    }
    guard case .response(let response) = event, response.isSuccess, let request = response.request else { return }
    if request.method == "SETUP", response.message.session?.id.isEmpty ?? true {
      log.note(
        Self.info, "none", subject: response.connection,
        at: response.place.evidence(
          sequence: response.message.cseq.map { Int64($0) }, excerpt: response.message.startLine),
        message: "SETUP was answered without a Session header")
    }
    guard let asked = request.message.session?.id, !asked.isEmpty, let given = response.message.session?.id,
      asked != given
    else { return }
    log.note(
      Self.info, request.method, subject: response.connection,
      at: response.place.evidence(
        sequence: response.message.cseq.map { Int64($0) }, excerpt: response.message.headers["Session"]),
      message: "\(request.method) in session \(asked) was answered with session \(given)")
  }
}
