public import RigModel
import RigWire

/// `sdp.rtpmap.dynamic`
public struct DynamicPayloadCheck: WireCheck {
  public static let info = CheckInfo(
    id: "sdp.rtpmap.dynamic", rule: "Every dynamic payload type (96–127) has an a=rtpmap that can be read.",
    reference: "RFC 2326 C.1.3, RFC 4566 6", severity: .error)
  public static let interest = WireInterest([.descriptions])

  public init(_ context: AnalysisContext) {}

  public mutating func see(_ event: WireEvent, in world: borrowing WireWorld, log: inout FindingLog) {
    guard case .description(let description, let response) = event else { return }
    for media in description.media where media.isPlayable {
      let mapped = media.rtpmaps.map(\.payloadType)
      for type in media.payloadTypes where type >= 96 && !mapped.contains(type) {
        log.note(
          Self.info, "\(type)", subject: response.connection, at: response.place.evidence(),
          message: "payload type \(type) of m=\(media.kind) (line \(media.line)) has no a=rtpmap")
      }
    }
  }
}
