public import RigModel
import RigWire

/// `rtsp.cseq.echo`
public struct CSeqEchoCheck: WireCheck {
  public static let info = CheckInfo(
    id: "rtsp.cseq.echo", rule: "A response carries the CSeq of the request that it answers.",
    reference: "RFC 2326 12.17", severity: .error)
  public static let interest = WireInterest([.responses])

  public init(_ context: AnalysisContext) {}

  public mutating func see(_ event: WireEvent, in world: borrowing WireWorld, log: inout FindingLog) {
    guard case .response(let response) = event, response.match == .order, let number = response.message.cseq,
      let request = response.request, let asked = request.message.cseq
    else { return }
    log.note(
      Self.info, "echo", subject: response.connection,
      at: response.place.evidence(sequence: Int64(number), excerpt: response.message.startLine),
      message: "the response to \(request.method) has CSeq \(number); the request had \(asked)")
  }
}
