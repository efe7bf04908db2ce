public import RigModel
import RigWire

/// `rtcp.compound`
public struct RTCPCompoundCheck: WireCheck {
  public static let info = CheckInfo(
    id: "rtcp.compound", rule: "A compound begins with a report and holds a CNAME.", reference: "RFC 3550 6.1",
    severity: .warning)
  public static let interest = WireInterest([.rtcp])

  public init(_ context: AnalysisContext) {}

  public mutating func see(_ event: WireEvent, in world: borrowing WireWorld, log: inout FindingLog) {
    guard case .rtcp(let event) = event, event.fromSender else { return }
    for problem in event.compound.problems {
      switch problem.kind {
      case .firstIsNoReport:
        log.note(
          Self.info, "first", subject: event.track, at: event.place.evidence(),
          message: "an RTCP compound begins with neither SR nor RR")
      case .noCNAME:
        log.note(
          Self.info, "cname", subject: event.track, at: event.place.evidence(),
          message: "an RTCP compound has no CNAME")
      default: break
      }
    }
  }
}
