public import RigModel
import RigWire

/// `session.teardown`
public struct TeardownCheck: WireCheck {
  public static let info = CheckInfo(
    id: "session.teardown", rule: "TEARDOWN is answered, and no media comes after it.", reference: "RFC 2326 10.7",
    severity: .error)
  public static let interest = WireInterest([.responses], notes: .afterEnd)

  public init(_ context: AnalysisContext) {}

  public mutating func see(_ event: WireEvent, in world: borrowing WireWorld, log: inout FindingLog) {
    switch event {
    case .unanswered(let request, .serverClosed) where request.method == "TEARDOWN":
      log.note(
        Self.info, "silent", subject: request.connection,
        at: request.place.evidence(
          sequence: request.message.cseq.map { Int64($0) }, excerpt: request.message.startLine),
        message: "the server closed the connection without answering TEARDOWN")
    case .unanswered(let request, let ending) where request.method == "TEARDOWN" && ending.excuse == nil:
      // Players often close at once after TEARDOWN: only one that stayed proves that no answer came.
      let waited = world.now &- request.place.time
      guard waited > 5_000_000_000 else { return }
      log.note(
        Self.info, "ignored", subject: request.connection,
        at: request.place.evidence(
          sequence: request.message.cseq.map { Int64($0) }, excerpt: request.message.startLine),
        message: "TEARDOWN was not answered in \(Duration.nanoseconds(waited).text)")
    case .response(let response) where response.request?.method == "TEARDOWN" && response.status >= 400:
      // A session that is gone already has nothing to tear down.
      guard response.status != 454, response.status != 401 else { return }
      log.note(
        Self.info, "refused", subject: response.connection,
        at: response.place.evidence(
          sequence: response.message.cseq.map { Int64($0) }, excerpt: response.message.startLine),
        message: "TEARDOWN was answered with \(response.status)")
    default: break
    }
  }

  public mutating func see(
    rtp packet: RTPEvent, payload: RawSpan, in world: borrowing WireWorld, log: inout FindingLog
  ) {
    guard packet.track >= 0 else { return }
    let index = world.tracks[packet.track].session
    guard index >= 0, world.sessions[index].state == .tornDown else { return }
    log.note(
      Self.info, "media", subject: packet.track, at: packet.evidence,
      message: "media still comes more than 2 s after TEARDOWN of session \(world.sessions[index].id)")
  }
}
