import RigBytes
import RigWire

/// The size of pictures as a sequence parameter set states it.
public struct PictureFormat: Hashable, Sendable, CustomStringConvertible {
  public var width: Int
  public var height: Int
  /// Pictures a second; `nil` where not stated.
  public var rate: Double?
  public var description: String { "\(width)x\(height)" }

  init?(h264 nal: [UInt8]) {
    guard let sps = try? H264SPS(parsing: nal) else { return nil }
    (width, height, rate) = (sps.width, sps.height, sps.frameRate)
  }

  init?(h265 nal: [UInt8]) {
    guard let sps = H265SPS(parsing: nal) else { return nil }
    (width, height, rate) = (sps.width, sps.height, nil)
  }

  /// Of the first whole sequence parameter set in an RTP payload, alone or in an aggregate.
  init?(inPayload payload: RawSpan, _ codec: MediaCodec) {
    guard let nal = Self.parameterSet(in: payload, codec) else { return nil }
    guard let format = codec == .h264 ? PictureFormat(h264: nal) : PictureFormat(h265: nal) else { return nil }
    self = format
  }

  private static func parameterSet(in payload: RawSpan, _ codec: MediaCodec) -> [UInt8]? {
    guard let first = payload.u8(at: 0) else { return nil }
    let isH264 = codec == .h264
    let wanted: UInt8 = isH264 ? 7 : 33
    func type(_ byte: UInt8) -> UInt8 { isH264 ? byte & 31 : byte >> 1 & 63 }
    // A parameter set is small; a hostile one is not worth its time.
    func bytes(_ range: Range<Int>) -> [UInt8]? {
      range.count <= 1024 ? payload.clamped(to: range).array : nil
    }
    if type(first) == wanted { return bytes(0..<payload.byteCount) }
    guard type(first) == (isH264 ? 24 : 48) else { return nil }
    var at = isH264 ? 1 : 2
    while let size = payload.u16(at: at), size > 0, at + 2 + Int(size) <= payload.byteCount {
      let start = at + 2
      if let head = payload.u8(at: start), type(head) == wanted { return bytes(start..<start + Int(size)) }
      at = start + Int(size)
    }
    return nil
  }
}

extension MediaTrack {
  /// What the description says of the payload: packetization mode, order and size of pictures.
  mutating func readFormat() {
    guard let media, let type = media.primary?.payloadType else { return }
    let format = media.fmtp(type)
    switch codec {
    case .h264:
      let parameters = format.map { H264FormatParameters($0) }
      packetizationMode = parameters?.packetizationMode ?? 0
      statesPacketizationMode = format?["packetization-mode"] != nil
      guard let set = parameters?.sequenceParameterSets.first else { return }
      picture = PictureFormat(h264: set)
      promisesOrder = (try? H264SPS(parsing: set))?.maxNumReorderFrames == 0
    case .h265:
      guard let set = format.flatMap({ H265FormatParameters($0).sequenceParameterSets?.first }) else { return }
      picture = PictureFormat(h265: set)
      promisesOrder = H265SPS(parsing: set)?.maxNumReorderPictures == 0
    default: break
    }
  }
}
