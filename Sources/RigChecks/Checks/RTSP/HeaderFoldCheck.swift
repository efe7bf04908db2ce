public import RigModel
import RigWire

/// `rtsp.header.fold`
public struct HeaderFoldCheck: WireCheck {
  public static let info = CheckInfo(
    id: "rtsp.header.fold", rule: "No header goes on in a second line: legal, and known to break players.",
    reference: "RFC 2326 4.2, 15.1", severity: .warning)
  public static let interest = WireInterest([.requests, .responses])

  public init(_ context: AnalysisContext) {}

  public mutating func see(_ event: WireEvent, in world: borrowing WireWorld, log: inout FindingLog) {
    guard let message = WireMessage(event),
      message.deviations.contains(where: { $0.kind == .folded || $0.kind == .blankContinuation })
    else { return }
    log.note(
      Self.info, "fold", subject: message.connection, at: message.evidence,
      message: "a header of \(message.name) is folded over two lines")
  }
}
