import CAV

/// An AAC-LC track, 48 kHz mono: a tone whose period divides the audio frame, so that the loop has no seam.
enum AudioEncoder {
  /// Samples per period of the tone (750 Hz).
  private static let period = 64
  /// The encoder's start-up frames, which are not part of the clip.
  private static let primingFrames = 2
  static let bitRate: Int64 = 64_000

  /// One period of a sine with half the full amplitude, by a resonator: exact enough, and no libm needed.
  private static func tone() -> [Float] {
    // cos and sin of 2π/64.
    let c = 0.995_184_726_672_196_9
    let s = 0.098_017_140_329_560_6
    var (x, y) = (0.5, 0.0)
    return (0..<period).map { _ in
      defer { (x, y) = (x * c - y * s, x * s + y * c) }
      return Float(y)
    }
  }

  /// The AudioSpecificConfig (ISO/IEC 14496-3) and `count` raw frames; pts in samples.
  static func encode(frames count: Int) throws(AVFailure) -> (config: [UInt8], units: [EncodedUnit]) {
    guard let codec = avcodec_find_encoder(AV_CODEC_ID_AAC) else {
      throw AVFailure(cav_error(ENOSYS), "find the encoder aac in libav")
    }
    var context = avcodec_alloc_context3(codec)
    var frame = av_frame_alloc()
    var packet = av_packet_alloc()
    defer {
      avcodec_free_context(&context)
      av_frame_free(&frame)
      av_packet_free(&packet)
    }
    guard let context, let frame, let packet else { throw .outOfMemory("make the audio encoder") }
    context.pointee.sample_fmt = AV_SAMPLE_FMT_FLTP
    context.pointee.sample_rate = Int32(ClipSettings.audioRate)
    context.pointee.bit_rate = bitRate
    context.pointee.time_base = AVRational(num: 1, den: Int32(ClipSettings.audioRate))
    context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER | AV_CODEC_FLAG_BITEXACT
    av_channel_layout_default(&context.pointee.ch_layout, 1)
    try check(avcodec_open2(context, codec, nil), "open the encoder aac")
    guard context.pointee.frame_size == ClipSettings.samplesPerAudioFrame, let header = context.pointee.extradata,
      context.pointee.extradata_size >= 2
    else { throw AVFailure(cav_error_invalid_data(), "set up the encoder aac") }
    // Two bytes say AAC-LC, rate and channels; what may follow is a hint about SBR that is not used.
    let config = [header[0], header[1]]

    frame.pointee.format = AV_SAMPLE_FMT_FLTP.rawValue
    frame.pointee.sample_rate = context.pointee.sample_rate
    frame.pointee.nb_samples = context.pointee.frame_size
    av_channel_layout_default(&frame.pointee.ch_layout, 1)
    try check(av_frame_get_buffer(frame, 0), "make audio samples")

    let tone = tone()
    var encoded: [EncodedUnit] = []
    func receive() throws(AVFailure) {
      while true {
        let code = avcodec_receive_packet(context, packet)
        if code == cav_error(EAGAIN) || code == cav_error_eof() { return }
        try check(code, "take encoded audio")
        let bytes = UnsafeBufferPointer(start: packet.pointee.data, count: Int(packet.pointee.size))
        encoded.append(EncodedUnit(pts: 0, isKey: true, bytes: Array(bytes)))
        av_packet_unref(packet)
      }
    }
    for number in 0..<count + primingFrames {
      try check(av_frame_make_writable(frame), "make audio samples")
      guard let plane = frame.pointee.data.0 else { throw .outOfMemory("make audio samples") }
      plane.withMemoryRebound(to: Float.self, capacity: ClipSettings.samplesPerAudioFrame) { samples in
        for at in stride(from: 0, to: ClipSettings.samplesPerAudioFrame, by: period) {
          for i in 0..<period { samples[at + i] = tone[i] }
        }
      }
      frame.pointee.pts = Int64(number * ClipSettings.samplesPerAudioFrame)
      try check(avcodec_send_frame(context, frame), "encode audio")
      try receive()
    }
    try check(avcodec_send_frame(context, nil), "end the audio encoding")
    try receive()
    guard encoded.count >= count + primingFrames else {
      throw AVFailure(cav_error_invalid_data(), "encode audio: \(encoded.count) frames came instead of \(count)")
    }
    let units = encoded[primingFrames..<primingFrames + count].enumerated().map { index, unit in
      EncodedUnit(pts: Int64(index * ClipSettings.samplesPerAudioFrame), isKey: true, bytes: unit.bytes)
    }
    return (config, units)
  }
}
