public import RigModel
import RigWire

/// `sdp.aac.params`
public struct AACParametersCheck: WireCheck {
  public static let info = CheckInfo(
    id: "sdp.aac.params",
    rule: "MPEG4-GENERIC audio has mode, config and the header lengths that its mode fixes.",
    reference: "RFC 3640 4.1, 3.3.6", severity: .error)
  public static let interest = WireInterest([.descriptions])

  public init(_ context: AnalysisContext) {}

  public mutating func see(_ event: WireEvent, in world: borrowing WireWorld, log: inout FindingLog) {
    guard case .description(let description, let response) = event else { return }
    for media in description.media {
      for map in media.rtpmaps where map.isEncoding("MPEG4-GENERIC") {
        judge(media.fmtp(map.payloadType), map, response, &log)
      }
    }
  }

  private func judge(
    _ format: SDPFormatParameters?, _ map: SDPMedia.RTPMap, _ response: RTSPResponse, _ log: inout FindingLog
  ) {
    let place = response.place.evidence(excerpt: format?.text)
    guard let format else {
      log.note(Self.info, "fmtp", subject: response.connection, at: place, message: "MPEG4-GENERIC has no a=fmtp")
      return
    }
    let parameters = AACFormatParameters(format)
    if parameters.mode == nil {
      log.note(Self.info, "mode", subject: response.connection, at: place, message: "MPEG4-GENERIC has no mode")
    }
    if parameters.config == nil {
      log.note(
        Self.info, "config", subject: response.connection, at: place,
        message: "MPEG4-GENERIC has no config in hexadecimal")
    }
    let lengths = (parameters.sizeLength, parameters.indexLength, parameters.indexDeltaLength)
    if parameters.isHighBitRate, lengths != (13, 3, 3) {
      log.note(
        Self.info, "lengths", subject: response.connection, at: place,
        message:
          "AAC-hbr has sizeLength, indexLength, indexDeltaLength 13, 3, 3; here "
          + "\(lengths.0), \(lengths.1), \(lengths.2)"
      )
    }
    if let rate = parameters.config.flatMap({ Self.samplingRate($0) }), rate != map.clockRate {
      // With SBR signalled in the old way the config may state half the rate.
      log.note(
        Self.info, "rate", subject: response.connection, at: place, severity: .warning,
        message: "config says \(rate) Hz and a=rtpmap \(map.clockRate) Hz")
    }
  }

  /// The sampling rate of an AudioSpecificConfig (ISO/IEC 14496-3 1.6.2.1), where it is one of the table.
  private static func samplingRate(_ config: [UInt8]) -> UInt32? {
    guard config.count >= 2, config[0] >> 3 != 31 else { return nil }
    let index = Int(config[0] & 7) << 1 | Int(config[1] >> 7)
    let rates: [UInt32] = [
      96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
    ]
    return rates.indices.contains(index) ? rates[index] : nil
  }
}
