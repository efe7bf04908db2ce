public import RigModel
import RigWire

/// `rtsp.redirect.sane`
public struct RedirectCheck: WireCheck {
  public static let info = CheckInfo(
    id: "rtsp.redirect.sane", rule: "A redirection names another place, as an absolute RTSP URL.",
    reference: "RFC 2326 10.10, 11.3, 12.25", severity: .error)
  public static let interest = WireInterest([.responses])

  public init(_ context: AnalysisContext) {}

  public mutating func see(_ event: WireEvent, in world: borrowing WireWorld, log: inout FindingLog) {
    guard case .response(let response) = event, [301, 302, 303].contains(response.status) else { return }
    let evidence = response.place.evidence(
      sequence: response.message.cseq.map { Int64($0) }, excerpt: response.message.startLine)
    guard let location = response.message.headers["Location"], !location.isEmpty else {
      log.note(
        Self.info, "missing", subject: response.connection, at: evidence,
        message: "\(response.status) without Location")
      return
    }
    if !RTSPURL.isAbsolute(location) {
      log.note(
        Self.info, "relative", subject: response.connection, at: evidence,
        message: "Location is no absolute RTSP URL: \(location)")
    } else if location == response.request?.url {
      log.note(
        Self.info, "loop", subject: response.connection, at: evidence,
        message: "\(response.status) to the very URL that was asked for")
    }
  }
}
