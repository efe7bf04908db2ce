public import RigModel
import RigWire

/// `rtsp.response.single`
public struct SingleResponseCheck: WireCheck {
  public static let info = CheckInfo(
    id: "rtsp.response.single", rule: "Every request gets exactly one response.", reference: "RFC 2326 9.2",
    severity: .error)
  public static let interest = WireInterest([.responses])

  /// Waiting longer than this for a response, in vain, is not cut short by an impatient client.
  private static let patience: Int64 = 5_000_000_000

  public init(_ context: AnalysisContext) {}

  public mutating func see(_ event: WireEvent, in world: borrowing WireWorld, log: inout FindingLog) {
    switch event {
    case .response(let response) where response.match == .none && response.wholeConnection:
      log.note(
        Self.info, "surplus", subject: response.connection,
        at: response.place.evidence(
          sequence: response.message.cseq.map { Int64($0) }, excerpt: response.message.startLine),
        message: "a response (\(response.status)) that no request asked for")
    case .unanswered(let request, .serverClosed) where request.fromClient && request.method != "TEARDOWN":
      log.note(
        Self.info, "none", subject: request.connection,
        at: request.place.evidence(
          sequence: request.message.cseq.map { Int64($0) }, excerpt: request.message.startLine),
        message: "the server closed the connection without answering \(request.method)")
    case .unanswered(let request, let ending)
    where request.fromClient && request.method != "TEARDOWN" && ending.excuse == nil:
      let waited = world.now &- request.place.time
      guard waited > Self.patience else { return }
      log.note(
        Self.info, "silence", subject: request.connection,
        at: request.place.evidence(
          sequence: request.message.cseq.map { Int64($0) }, excerpt: request.message.startLine),
        message: "\(request.method) was not answered in \(Duration.nanoseconds(waited).text)")
    default: break
    }
  }
}
