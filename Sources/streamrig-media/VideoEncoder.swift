import CAV

/// One encoded access unit or audio frame.
struct EncodedUnit {
  var pts: Int64
  var isKey: Bool
  var bytes: [UInt8]
}

/// libx264 as a camera runs it: no B-frames, no look-ahead, closed GOPs of an exact length, one slice, one thread
/// (so that the same settings give the same bytes).
final class VideoEncoder {
  enum Control {
    /// Bits per second, with a buffer of half a second.
    case bitRate(Int)
    /// A constant quantiser, 0…51.
    case quantiser(Int)
  }

  private var context: UnsafeMutablePointer<AVCodecContext>?
  private var frame: UnsafeMutablePointer<AVFrame>?
  private var packet: UnsafeMutablePointer<AVPacket>?
  /// The parameter sets, each without start code.
  private(set) var sequenceParameterSet: [UInt8] = []
  private(set) var pictureParameterSet: [UInt8] = []

  init(_ settings: ClipSettings, control: Control) throws(AVFailure) {
    guard let codec = avcodec_find_encoder_by_name("libx264") else {
      throw AVFailure(cav_error(ENOSYS), "find the encoder libx264 in libav")
    }
    context = avcodec_alloc_context3(codec)
    frame = av_frame_alloc()
    packet = av_packet_alloc()
    guard let context, let frame, packet != nil else { throw .outOfMemory("make the encoder") }
    context.pointee.width = Int32(settings.width)
    context.pointee.height = Int32(settings.height)
    context.pointee.pix_fmt = AV_PIX_FMT_YUV420P
    context.pointee.color_range = AVCOL_RANGE_MPEG
    context.pointee.time_base = AVRational(num: 1, den: Int32(settings.framesPerSecond))
    context.pointee.framerate = AVRational(num: Int32(settings.framesPerSecond), den: 1)
    context.pointee.gop_size = Int32(settings.gop)
    context.pointee.max_b_frames = 0
    context.pointee.thread_count = 1
    context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER | Int32(bitPattern: AV_CODEC_FLAG_CLOSED_GOP)
    var options: OpaquePointer?
    defer { av_dict_free(&options) }
    av_dict_set(&options, "preset", "veryfast", 0)
    av_dict_set(&options, "tune", "zerolatency", 0)
    av_dict_set(&options, "profile", "high", 0)
    var parameters =
      "keyint=\(settings.gop):min-keyint=1:scenecut=0:open-gop=0:repeat-headers=0:threads=1:sliced-threads=0"
    switch control {
    case .bitRate(let rate):
      context.pointee.bit_rate = Int64(rate)
      context.pointee.rc_max_rate = Int64(rate)
      context.pointee.rc_buffer_size = Int32(clamping: rate / 2)
    case .quantiser(let quantiser): parameters += ":qp=\(quantiser)"
    }
    av_dict_set(&options, "x264-params", parameters, 0)
    try check(avcodec_open2(context, codec, &options), "open the encoder libx264")
    frame.pointee.format = AV_PIX_FMT_YUV420P.rawValue
    frame.pointee.width = context.pointee.width
    frame.pointee.height = context.pointee.height
    try check(av_frame_get_buffer(frame, 0), "make a picture")
    try readParameterSets()
  }

  deinit {
    avcodec_free_context(&context)
    av_frame_free(&frame)
    av_packet_free(&packet)
  }

  private func readParameterSets() throws(AVFailure) {
    guard let context, let header = context.pointee.extradata else { return }
    let units = AnnexB.units(in: UnsafeBufferPointer(start: header, count: Int(context.pointee.extradata_size)))
    for unit in units {
      switch (unit.first ?? 0) & 0x1F {
      case 7: sequenceParameterSet = Array(unit)
      case 8: pictureParameterSet = Array(unit)
      default: break
      }
    }
    guard !sequenceParameterSet.isEmpty, !pictureParameterSet.isEmpty else {
      throw AVFailure(cav_error_invalid_data(), "read the encoder's parameter sets")
    }
  }

  /// Encodes frame `number`, which `paint` draws.
  func encode(
    _ number: Int, paint: (UnsafeMutablePointer<AVFrame>) -> Void, each: (EncodedUnit) -> Void
  ) throws(AVFailure) {
    guard let frame else { return }
    try check(av_frame_make_writable(frame), "make a picture")
    paint(frame)
    frame.pointee.pts = Int64(number)
    try check(avcodec_send_frame(context, frame), "encode a picture")
    try receive(each)
  }

  /// What the encoder still holds.
  func finish(each: (EncodedUnit) -> Void) throws(AVFailure) {
    try check(avcodec_send_frame(context, nil), "end the encoding")
    try receive(each)
  }

  private func receive(_ each: (EncodedUnit) -> Void) throws(AVFailure) {
    guard let packet else { return }
    while true {
      let code = avcodec_receive_packet(context, packet)
      if code == cav_error(EAGAIN) || code == cav_error_eof() { return }
      try check(code, "take an encoded picture")
      defer { av_packet_unref(packet) }
      let bytes = UnsafeBufferPointer(start: packet.pointee.data, count: Int(packet.pointee.size))
      each(
        EncodedUnit(
          pts: packet.pointee.pts, isKey: packet.pointee.flags & AV_PKT_FLAG_KEY != 0,
          bytes: AnnexB.lengthPrefixedPictures(in: bytes)))
    }
  }
}
