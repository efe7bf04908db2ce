import RigBytes
import RigWire

/// The SDP of a presentation (RFC 4566, RFC 2326 appendix C).
struct StreamDescription {
  let sdp: SDPSession

  /// - Parameter host: the server's address as the client reached it.
  init(_ clip: PreparedClip, host: String, sessionID: String) {
    let isIPv6 = host.utf8.contains(0x3A)
    let family = isIPv6 ? "IP6" : "IP4"
    sdp = SDPSession(
      origin: SDPSession.Origin(sessionID: sessionID, addressType: family, address: host), name: "Live",
      // The address of a unicast session is the client's business (RFC 2326 C.1.7).
      connection: SDPSession.Connection(addressType: family, address: isIPv6 ? "::" : "0.0.0.0"),
      attributes: [.init("control", "*"), .init("range", "npt=now-")],
      media: clip.tracks.map { StreamDescription.media($0, hasParameterSets: clip.hasParameterSets) })
  }

  private static func media(_ track: PreparedClip.Track, hasParameterSets: Bool) -> SDPMedia {
    let type = track.payloadType
    let kind: String
    let rtpmap: SDPMedia.RTPMap
    let format: SDPFormatParameters
    switch track.clip.coding {
    case .h264(let h264):
      kind = "video"
      rtpmap = SDPMedia.RTPMap(payloadType: type, encoding: "H264", clockRate: 90_000)
      format = SDPFormatParameters(payloadType: type, parameters(h264, hasParameterSets))
    case .aac(let aac):
      kind = "audio"
      rtpmap = SDPMedia.RTPMap(
        payloadType: type, encoding: "mpeg4-generic", clockRate: UInt32(truncatingIfNeeded: aac.sampleRate),
        parameters: "\(aac.channels)")
      format = SDPFormatParameters(payloadType: type, parameters(aac))
    }
    return SDPMedia(
      kind: kind, formats: ["\(type)"],
      attributes: [.init("rtpmap", rtpmap.text), .init("fmtp", format.text), .init("control", track.control)])
  }

  /// The attribute with no `sprop-parameter-sets` in it, where it is an `fmtp` that has them.
  static func withoutSprop(_ attribute: SDPSession.Attribute) -> SDPSession.Attribute {
    guard attribute.name == "fmtp", let value = attribute.value else { return attribute }
    let parts = ASCII.split(value, on: ";").filter { !ASCII.hasPrefix(ASCII.trimmed($0), "sprop-parameter-sets") }
    return SDPSession.Attribute("fmtp", parts.joined(separator: ";"))
  }

  /// RFC 6184 8.1. Profile and level are bytes 1 to 3 of the sequence parameter set.
  private static func parameters(
    _ h264: ClipTrack.H264, _ hasParameterSets: Bool
  ) -> [SDPFormatParameters.Parameter] {
    var list: [SDPFormatParameters.Parameter] = [.init("packetization-mode", "1")]
    if let set = h264.sequenceParameterSets.first, set.count >= 4 {
      list.append(.init("profile-level-id", ASCII.hex(set[1...3])))
    }
    if hasParameterSets {
      let sets = h264.sequenceParameterSets + h264.pictureParameterSets
      list.append(.init("sprop-parameter-sets", sets.map { Base64.encode($0) }.joined(separator: ",")))
    }
    return list
  }

  /// RFC 3640 4.1 and 3.3.6.
  private static func parameters(_ aac: ClipTrack.AAC) -> [SDPFormatParameters.Parameter] {
    [
      .init("streamtype", "5"), .init("profile-level-id", "1"), .init("mode", "AAC-hbr"), .init("sizelength", "13"),
      .init("indexlength", "3"), .init("indexdeltalength", "3"), .init("config", ASCII.hex(aac.config)),
    ]
  }
}
