public import RigModel
import RigWire

/// `sdp.h265.sprop`
public struct H265ParameterSetsCheck: WireCheck {
  public static let info = CheckInfo(
    id: "sdp.h265.sprop", rule: "sprop-vps, sprop-sps and sprop-pps hold base64 of parameter sets.",
    reference: "RFC 7798 7.1", severity: .error)
  public static let interest = WireInterest([.descriptions])

  public init(_ context: AnalysisContext) {}

  public mutating func see(_ event: WireEvent, in world: borrowing WireWorld, log: inout FindingLog) {
    guard case .description(let description, let response) = event else { return }
    for media in description.media {
      for map in media.rtpmaps where map.isEncoding("H265") {
        let format = media.fmtp(map.payloadType)
        let place = response.place.evidence(excerpt: format?.text)
        let parameters = format.map { H265FormatParameters($0) }
        for entry in parameters?.undecodable ?? [] {
          log.note(
            Self.info, "base64", subject: response.connection, at: place,
            message: "a parameter set of H265 is no base64: \(entry.prefix(40))")
        }
        let sets = [
          parameters?.videoParameterSets, parameters?.sequenceParameterSets, parameters?.pictureParameterSets,
        ]
        if sets.contains(where: { $0?.isEmpty ?? true }) {
          log.note(
            Self.info, "missing", subject: response.connection, at: place, severity: .warning,
            message: "sprop-vps, sprop-sps and sprop-pps are not all there: a player must wait for them in band")
        }
      }
    }
  }
}
