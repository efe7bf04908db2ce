public import RigModel
import RigWire

/// `sdp.h264.sprop`
public struct H264ParameterSetsCheck: WireCheck {
  public static let info = CheckInfo(
    id: "sdp.h264.sprop",
    rule: "sprop-parameter-sets holds base64 of an SPS and a PPS, and profile-level-id is that of the SPS.",
    reference: "RFC 6184 8.1", severity: .error)
  public static let interest = WireInterest([.descriptions])

  public init(_ context: AnalysisContext) {}

  public mutating func see(_ event: WireEvent, in world: borrowing WireWorld, log: inout FindingLog) {
    guard case .description(let description, let response) = event else { return }
    for media in description.media {
      for map in media.rtpmaps where map.isEncoding("H264") {
        judge(media.fmtp(map.payloadType), response, &log)
      }
    }
  }

  private func judge(_ format: SDPFormatParameters?, _ response: RTSPResponse, _ log: inout FindingLog) {
    let place = response.place.evidence(excerpt: format?.text)
    guard let format, let sets = format["sprop-parameter-sets"], !sets.isEmpty else {
      log.note(
        Self.info, "missing", subject: response.connection, at: place, severity: .warning,
        message: "no sprop-parameter-sets: a player cannot start before SPS and PPS come in band")
      return
    }
    let parameters = H264FormatParameters(format)
    for entry in parameters.undecodable where !entry.isEmpty {
      log.note(
        Self.info, "base64", subject: response.connection, at: place,
        message: "an entry of sprop-parameter-sets is no base64: \(entry.prefix(40))")
    }
    guard let sps = parameters.sequenceParameterSets.first, !parameters.pictureParameterSets.isEmpty else {
      log.note(
        Self.info, "incomplete", subject: response.connection, at: place, severity: .warning,
        message: "sprop-parameter-sets lacks an SPS or a PPS")
      return
    }
    if let parsed = try? H264SPS(parsing: sps), parsed.trailingBytes > 0 {
      log.note(
        Self.info, "trailing", subject: response.connection, at: place, severity: .warning,
        message: "\(parsed.trailingBytes) bytes follow the end of the SPS in sprop-parameter-sets")
    }
    if let stated = parameters.profileLevelID, sps.count >= 4 {
      let own = UInt32(sps[1]) << 16 | UInt32(sps[2]) << 8 | UInt32(sps[3])
      if own != stated {
        log.note(
          Self.info, "profile", subject: response.connection, at: place, severity: .warning,
          message:
            "profile-level-id is \(String(stated, radix: 16)) and the SPS says \(String(own, radix: 16))")
      }
    }
  }
}
