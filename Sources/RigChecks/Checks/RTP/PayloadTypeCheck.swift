public import RigModel
import RigWire

/// `rtp.pt.known`
public struct PayloadTypeCheck: WireCheck {
  public static let info = CheckInfo(
    id: "rtp.pt.known", rule: "Packets carry a payload type that the description lists for their media.",
    reference: "RFC 3550 5.1, RFC 4566 5.14", severity: .error)
  public static let interest = WireInterest(notes: .unknownPayloadType)

  public init(_ context: AnalysisContext) {}

  public mutating func see(
    rtp packet: RTPEvent, payload: RawSpan, in world: borrowing WireWorld, log: inout FindingLog
  ) {
    let kind = packet.track >= 0 ? world.tracks[packet.track].media?.kind ?? "media" : "media"
    log.note(
      Self.info, "\(packet.payloadType)", subject: packet.track, at: packet.evidence,
      message: "payload type \(packet.payloadType) is not in the description of the \(kind)")
  }
}
