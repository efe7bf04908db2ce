public import RigModel
import RigWire

/// `rtsp.line.crlf`
public struct LineEndCheck: WireCheck {
  public static let info = CheckInfo(
    id: "rtsp.line.crlf", rule: "Every line of an RTSP message ends in CR LF.", reference: "RFC 2326 4, 15.1",
    severity: .error)
  public static let interest = WireInterest([.requests, .responses])

  public init(_ context: AnalysisContext) {}

  public mutating func see(_ event: WireEvent, in world: borrowing WireWorld, log: inout FindingLog) {
    guard let message = WireMessage(event) else { return }
    for deviation in message.deviations where deviation.kind == .bareLF || deviation.kind == .bareCR {
      log.note(
        Self.info, deviation.kind.rawValue, subject: message.connection, at: message.evidence,
        message: "a line of \(message.name) ends in \(deviation.kind == .bareLF ? "LF without CR" : "CR without LF")")
      return
    }
  }
}
