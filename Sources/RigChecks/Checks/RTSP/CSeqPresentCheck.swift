public import RigModel
import RigWire

/// `rtsp.cseq.present`
public struct CSeqPresentCheck: WireCheck {
  public static let info = CheckInfo(
    id: "rtsp.cseq.present", rule: "Every request and every response has a CSeq header with a number.",
    reference: "RFC 2326 12.17", severity: .error)
  public static let interest = WireInterest([.requests, .responses])

  public init(_ context: AnalysisContext) {}

  public mutating func see(_ event: WireEvent, in world: borrowing WireWorld, log: inout FindingLog) {
    guard let message = WireMessage(event), message.message.cseq == nil else { return }
    let value = message.message.headers["CSeq"]
    log.note(
      Self.info, value == nil ? "missing" : "malformed", subject: message.connection, at: message.evidence,
      message: value.map { "the CSeq of \(message.name) is no number: \($0)" } ?? "\(message.name) has no CSeq")
  }
}
