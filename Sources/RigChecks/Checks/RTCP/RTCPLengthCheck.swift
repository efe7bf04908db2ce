public import RigModel
import RigWire

/// `rtcp.length`
public struct RTCPLengthCheck: WireCheck {
  public static let info = CheckInfo(
    id: "rtcp.length", rule: "RTCP packets have version 2 and lengths, counts and padding that fit in the compound.",
    reference: "RFC 3550 A.2, 6.4", severity: .error)
  public static let interest = WireInterest([.rtcp])

  public init(_ context: AnalysisContext) {}

  public mutating func see(_ event: WireEvent, in world: borrowing WireWorld, log: inout FindingLog) {
    guard case .rtcp(let event) = event, event.fromSender else { return }
    for problem in event.compound.problems {
      let text: String
      switch problem.kind {
      case .truncatedHead: text = "an RTCP packet ends inside its head"
      case .version(let version): text = "an RTCP packet has version \(version)"
      case .lengthOverrun(let needed, let available):
        text = "an RTCP length field asks for \(needed) bytes where \(available) are left"
      case .countOverrun(let needed, let available):
        text = "the count of an RTCP packet asks for \(needed) bytes where \(available) are left"
      case .itemOverrun: text = "an SDES item or BYE reason goes beyond its packet"
      case .padding: text = "the padding of an RTCP packet is impossible"
      case .firstIsNoReport, .noCNAME: continue
      }
      var place = event.place.evidence()
      place.offset = Int64(problem.offset)
      log.note(Self.info, text, subject: event.track, at: place, message: text)
    }
  }
}
