import RigBytes
import RigWire

enum SDPTarget {
  /// A session description, down to the parameter sets in it. Written and read again, it stays as it is.
  static func check(_ input: UnsafeRawBufferPointer) throws {
    let session = SDPSession(parsing: [UInt8](input))
    let once = SDPSession(parsing: session.bytes)
    let twice = SDPSession(parsing: once.bytes)
    try require(once.text == twice.text, "\(once.text.debugDescription) became \(twice.text.debugDescription)")
    try require(once.media.count == session.media.count, "\(session.media.count) media became \(once.media.count)")
    for media in session.media {
      _ = (media.primary?.channels, media.control, media.isPlayable)
      for parameters in media.formatParameters {
        let h264 = H264FormatParameters(parameters)
        for set in h264.sequenceParameterSets { _ = try? H264SPS(parsing: set) }
        for set in h264.pictureParameterSets { _ = H264PPS(parsing: set) }
        for set in H265FormatParameters(parameters).sequenceParameterSets ?? [] { _ = H265SPS(parsing: set) }
        let aac = AACFormatParameters(parameters)
        if let config = aac.config { _ = AudioSpecificConfig(parsing: config) }
        for (_, text) in parameters.parameters.map({ ($0.name, $0.value ?? "") }) {
          if let bytes = Base64.decode(text) {
            try require(Base64.decode(Base64.encode(bytes)) == bytes, "base64 of \(bytes) is not read back")
          }
        }
      }
    }
  }
}
