public import RigModel
import RigWire

/// `rtsp.redirect.sane`
public struct RedirectCheck: WireCheck {
  public static let info = CheckInfo(
    id: "rtsp.redirect.sane", rule: "A redirection names another place, as an absolute RTSP URL.",
    reference: "RFC 2326 10.10, 11.3, 12.25", severity: .error)
  public static let interest = WireInterest([.responses])

  /// Where each URL was redirected to, the first 1,024.
  private var steps: [String: String] = [:]
  /// Redirections in a row that a player follows.
  private static let hopLimit = 5

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
    } else if let url = response.request?.url {
      if url.lowercased().hasPrefix("rtsps:"), !location.lowercased().hasPrefix("rtsps:") {
        log.note(
          Self.info, "downgrade", subject: response.connection, at: evidence,
          message: "\(response.status) leads from rtsps to an unprotected URL: \(location)")
      }
      if steps.count < 1024 { steps[url] = location }
      judgeChain(from: url, response.connection, evidence, &log)
    }
  }

  private func judgeChain(from url: String, _ connection: Int, _ evidence: Evidence, _ log: inout FindingLog) {
    var next = url
    for hop in 1...Self.hopLimit + 1 {
      guard let location = steps[next] else { return }
      next = location
      if next == url || hop > Self.hopLimit {
        log.note(
          Self.info, "chain", subject: connection, at: evidence,
          message: next == url
            ? "\(hop) redirections lead back to the URL that was asked for"
            : "more than \(Self.hopLimit) redirections in a row")
        return
      }
    }
  }
}
