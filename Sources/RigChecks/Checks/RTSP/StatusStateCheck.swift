public import RigModel
import RigWire

/// `rtsp.status.state`
///
/// Whether a session that lives is refused with 454 is the business of `session.expiry`.
public struct StatusStateCheck: WireCheck {
  public static let info = CheckInfo(
    id: "rtsp.status.state",
    rule: "454, 455, 459, 460 and 461 are used where they apply, and 5xx not at all.",
    reference: "RFC 2326 11, A", severity: .error)
  public static let interest = WireInterest([.responses])

  public init(_ context: AnalysisContext) {}

  public mutating func see(_ event: WireEvent, in world: borrowing WireWorld, log: inout FindingLog) {
    guard case .response(let response) = event, response.fromServer, let request = response.request,
      let problem = problem(response, request, world)
    else { return }
    log.note(
      Self.info, "\(problem.kind) \(request.method)", subject: response.connection,
      at: response.place.evidence(
        sequence: response.message.cseq.map { Int64($0) }, excerpt: response.message.startLine),
      severity: problem.severity, message: problem.message)
  }

  private struct Problem {
    var kind: String
    var severity: Severity?
    var message: String
    init(_ kind: String, _ severity: Severity? = nil, _ message: String) {
      self.kind = kind
      self.severity = severity
      self.message = message
    }
  }

  private func problem(
    _ response: RTSPResponse, _ request: RTSPRequest, _ world: borrowing WireWorld
  ) -> Problem? {
    let method = request.method
    let session = response.session >= 0 ? world.sessions[response.session] : nil
    switch response.status {
    case 200..<300:
      guard ["PLAY", "PAUSE", "RECORD"].contains(method) else { return nil }
      if let session, session.state == .tornDown {
        return Problem("gone", nil, "\(method) is accepted in session \(session.id), which was torn down: 454 was due")
      }
      if session == nil, response.wholeConnection, !response.hasTracks, request.message.session == nil {
        return Problem("early", nil, "\(method) is accepted before any SETUP: 455 was due")
      }
    case 455:
      guard let session, !session.isOver else { return nil }
      switch (method, session.state) {
      case ("PLAY", .ready), ("PLAY", .paused), ("PAUSE", .playing), ("TEARDOWN", _):
        return Problem("455", nil, "\(method) is answered with 455, and the session is in a state that allows it")
      case ("PLAY", .playing):
        return Problem("455", .warning, "PLAY while playing is answered with 455; it may be queued, not refused")
      default: return nil
      }
    case 459, 460:
      guard let session, session.tracks.count > 1 else { return nil }
      let isTrack = session.tracks.contains { world.tracks[$0].url == request.url }
      if response.status == 459, isTrack {
        return Problem("459", nil, "\(method) of a single media is answered with 459, aggregate operation not allowed")
      }
      if response.status == 460, !isTrack {
        return Problem(
          "460", nil, "\(method) of the whole session is answered with 460, only aggregate operation allowed")
      }
    case 461:
      guard method == "SETUP" else {
        return Problem("461", nil, "\(method) is answered with 461, unsupported transport")
      }
      let asked = (request.message.headers["Transport"].map { TransportHeader.parse($0) } ?? []).map(\.lower)
      if let session, session.tracks.contains(where: { asked.contains(world.tracks[$0].header.lower) }) {
        return Problem(
          "461", .warning, "461 refuses the very transport that another media of the session was set up with")
      }
    case 500, 502, 504: return Problem("5xx", nil, "\(method) is answered with \(response.status): the server failed")
    case 503: return Problem("5xx", .warning, "\(method) is answered with 503: the server is at its limit")
    default: break
    }
    return nil
  }
}
