import CAV

/// One libav decoder: packets in, frames out, one thread, nothing held back longer than the assembly of a frame and the
/// stream's own reordering take.
final class StreamDecoder {
  /// 8192 × 4352: what a hostile parameter set may make the decoder allocate at most.
  private static let maximumPixels: Int64 = 8192 * 4352

  private var context: UnsafeMutablePointer<AVCodecContext>?
  private let assembler: FrameAssembler?
  private var frame: UnsafeMutablePointer<AVFrame>?

  /// - Parameters:
  ///   - parameters: a stream's; what is unset in them is found in the stream itself.
  ///   - assembles: the packets are parts of frames where the codec's depacketizer gives such.
  init(
    parameters: UnsafePointer<AVCodecParameters>, timeBase: AVRational, assembles: Bool
  ) throws(AVFailure) {
    assembler = assembles ? FrameAssembler(codec: parameters.pointee.codec_id) : nil
    guard let codec = avcodec_find_decoder(parameters.pointee.codec_id) else {
      throw AVFailure(cav_error(ENOSYS), "no decoder for \(Self.name(of: parameters.pointee.codec_id))")
    }
    context = avcodec_alloc_context3(codec)
    frame = av_frame_alloc()
    guard let context, frame != nil else { throw .outOfMemory("make a decoder") }
    try check(avcodec_parameters_to_context(context, parameters), "read the stream's parameters")
    context.pointee.pkt_timebase = timeBase
    context.pointee.thread_count = 1
    context.pointee.max_pixels = Self.maximumPixels
    try check(avcodec_open2(context, codec, nil), "open the decoder")
  }

  deinit {
    avcodec_free_context(&context)
    av_frame_free(&frame)
  }

  /// Frames per second as the stream's own parameter sets say; `nil` where they do not.
  var framesPerSecond: Double? { context?.pointee.framerate.quotient }

  /// Decodes a packet (`nil` = the stream is over) and hands over each frame; the frame is valid during the call.
  /// Returns the code of the first error, else 0. After an error the decoder goes on with the next packet.
  func decode(_ packet: UnsafePointer<AVPacket>?, each: (UnsafePointer<AVFrame>) -> Void) -> Int32 {
    guard let context else { return cav_error(ENOMEM) }
    var failure: Int32 = 0
    func note(_ code: Int32) { if failure == 0, code < 0 { failure = code } }
    if let assembler {
      note(assembler.assemble(packet, for: context) { note(decodeFrame($0, each)) })
      if packet == nil { note(decodeFrame(nil, each)) }
    } else {
      note(decodeFrame(packet, each))
    }
    return failure
  }

  private func decodeFrame(_ packet: UnsafePointer<AVPacket>?, _ each: (UnsafePointer<AVFrame>) -> Void) -> Int32 {
    guard let context, let frame else { return cav_error(ENOMEM) }
    let sent = avcodec_send_packet(context, packet)
    var failure: Int32 = sent < 0 && sent != cav_error_eof() ? sent : 0
    // One packet gives few frames; the bound only guards against a decoder that never stops.
    for _ in 0..<1024 {
      let received = avcodec_receive_frame(context, frame)
      if received == cav_error(EAGAIN) || received == cav_error_eof() { break }
      if received < 0 {
        if failure == 0 { failure = received }
        continue
      }
      each(frame)
      av_frame_unref(frame)
    }
    return failure
  }

  static func name(of codec: AVCodecID) -> String { avcodec_get_name(codec).map { String(cString: $0) } ?? "unknown" }
}

extension Int64 {
  /// A libav time stamp; `nil` where it has none.
  var validPTS: Int64? { self == cav_no_pts() ? nil : self }
}

extension AVRational {
  /// The quotient; `nil` where there is none.
  var quotient: Double? { den != 0 && num != 0 ? Double(num) / Double(den) : nil }
}
