import CAV

/// Joins what the RTP depacketizers of libav give (for H.264 and H.265 single NAL units and fragments of them) into
/// whole frames, by libav's parser for the codec.
///
/// A frame is known to be whole when the next one begins: frames come out up to one frame interval after their last
/// packet. libavformat can do this itself, but then dates the first packet late and loses the first frame's time stamp.
final class FrameAssembler {
  /// The codecs whose depacketizers give parts of frames.
  private static let codecs: Set<UInt32> = Set(
    [
      AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_MPEG4, AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO,
      AV_CODEC_ID_H263, AV_CODEC_ID_MP2, AV_CODEC_ID_MP3,
    ].map(\.rawValue))

  private var parser: UnsafeMutablePointer<AVCodecParserContext>?
  private var frame: UnsafeMutablePointer<AVPacket>?
  private var offset: Int64 = 0
  private let codec: AVCodecID
  /// Bytes taken since the last whole frame; a stream that never completes one must not fill the memory.
  private var pending = 0
  private static let maximumPending = 16 << 20

  /// `nil` for codecs whose packets are whole frames already.
  init?(codec: AVCodecID) {
    guard Self.codecs.contains(codec.rawValue) else { return nil }
    self.codec = codec
    parser = av_parser_init(Int32(bitPattern: codec.rawValue))
    frame = av_packet_alloc()
    guard parser != nil, frame != nil else { return nil }
  }

  deinit {
    av_parser_close(parser)
    av_packet_free(&frame)
  }

  /// Takes a packet (`nil` = the stream is over) and hands over each frame that is now whole.
  func assemble(
    _ packet: UnsafePointer<AVPacket>?, for context: UnsafeMutablePointer<AVCodecContext>,
    each: (UnsafePointer<AVPacket>) -> Void
  ) -> Int32 {
    pending += Int(packet?.pointee.size ?? 0)
    if pending > Self.maximumPending {
      pending = 0
      av_parser_close(parser)
      parser = av_parser_init(Int32(bitPattern: codec.rawValue))
      return cav_error_invalid_data()
    }
    guard let parser, let frame else { return cav_error(ENOMEM) }
    var data = packet.map { UnsafePointer($0.pointee.data) } ?? nil
    var rest = packet?.pointee.size ?? 0
    var pts = packet?.pointee.pts ?? cav_no_pts()
    while true {
      var whole: UnsafeMutablePointer<UInt8>?
      var size: Int32 = 0
      let used = av_parser_parse2(parser, context, &whole, &size, data, rest, pts, cav_no_pts(), offset)
      guard used >= 0, used <= rest else { return cav_error_invalid_data() }
      offset &+= Int64(used)
      data = data.map { $0 + Int(used) }
      rest -= used
      pts = cav_no_pts()
      if let whole, size > 0 {
        pending = 0
        // The parser's own buffer lives until the next call only: the decoder gets a copy.
        let code = av_new_packet(frame, size)
        guard code >= 0, let copy = frame.pointee.data else { return code < 0 ? code : cav_error(ENOMEM) }
        copy.update(from: whole, count: Int(size))
        frame.pointee.pts = parser.pointee.pts
        each(frame)
        av_packet_unref(frame)
      }
      if rest == 0 || (used == 0 && size == 0) { return 0 }
    }
  }
}
