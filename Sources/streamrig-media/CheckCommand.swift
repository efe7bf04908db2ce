import CAV
import RigModel

/// `check`: decodes a clip file and prints its summary; fails unless every frame, counter and GOP is right.
struct CheckCommand {
  let path: String

  static func path(in arguments: [String]) throws(UsageError) -> String {
    guard arguments.count == 1, let path = arguments.first, !path.hasPrefix("--") else {
      throw UsageError("check takes one file")
    }
    return path
  }

  func run() -> Int32 {
    let output = LineOutput()
    _ = LibavLog.install(writingTo: output)
    do {
      let clip = try ClipReader(try FileAccess.read(path))
      output.emit("clip", [("header", clip.header)])
      return try decode(clip, output: output)
    } catch let failure as FileFailure {
      return fail(output, failure.message)
    } catch let fault as ClipReader.Fault {
      return fail(output, fault.message)
    } catch let failure as AVFailure {
      return fail(output, failure.message)
    } catch {
      return fail(output, "\(error)")
    }
  }

  private func decode(_ clip: ClipReader, output: LineOutput) throws(AVFailure) -> Int32 {
    let errors = DecodeErrorReport(output: output)
    let video = try StreamDecoder(codec: AV_CODEC_ID_H264, timeBase: AVRational(num: 1, den: 90_000)) {
      clip.parameterSets.flatMap { [0, 0, 0, 1] + $0 }
    }
    var audio: StreamDecoder?
    if let config = clip.audioConfig {
      audio = try StreamDecoder(codec: AV_CODEC_ID_AAC, timeBase: AVRational(num: 1, den: 48_000)) { config }
    }
    var ledger = FrameLedger(readsCounter: true, counterModulus: clip.frames)
    var audioFrames = 0
    func take(_ frame: UnsafePointer<AVFrame>) {
      let luma = LumaPicture(frame)
      ledger.add(
        pts: frame.pointee.best_effort_timestamp.validPTS, isKey: frame.pointee.key_frame == 1,
        isCorrupt: frame.pointee.decode_error_flags != 0, isBlack: luma?.isBlack ?? false,
        counter: luma.flatMap(PictureCounter.read), samples: luma?.samples ?? [])
    }
    func note(_ code: Int32) {
      if code < 0 {
        errors.note(code, "decode: \(AVFailure.reason(for: code))", at: monotonicNanoseconds())
      }
    }
    var packet = av_packet_alloc()
    defer { av_packet_free(&packet) }
    guard let packet else { throw .outOfMemory("make a packet") }
    for unit in clip.units {
      guard cav_stop_signal() == 0 else { throw AVFailure(cav_error_exit(), "decode the clip") }
      guard let bytes = unit.isVideo ? AnnexB.byteStream(ofLengthPrefixed: unit.bytes) : Array(unit.bytes) else {
        note(cav_error_invalid_data())
        continue
      }
      // libav reads a few (zeroed) bytes past the end.
      try check(av_new_packet(packet, Int32(bytes.count)), "make a packet")
      if let data = packet.pointee.data { data.update(from: bytes, count: bytes.count) }
      packet.pointee.pts = Int64(truncatingIfNeeded: unit.pts)
      packet.pointee.dts = packet.pointee.pts
      if unit.isVideo {
        note(video.decode(packet, each: take))
      } else if let audio {
        note(audio.decode(packet) { _ in audioFrames += 1 })
      }
      av_packet_unref(packet)
    }
    note(video.decode(nil, each: take))
    if let audio { note(audio.decode(nil) { _ in audioFrames += 1 }) }
    errors.flush(at: monotonicNanoseconds())
    ledger.decodeErrors = errors.total
    output.emit(
      "summary",
      ledger.summary(timeBase: 1.0 / 90_000) + [("audio-frames", clip.audioConfig == nil ? nil : .count(audioFrames))])
    let problem = problem(clip, ledger, audioFrames: audioFrames)
    guard let problem else { return 0 }
    return fail(output, problem)
  }

  private func problem(_ clip: ClipReader, _ ledger: FrameLedger, audioFrames: Int) -> String? {
    if ledger.decodeErrors > 0 || ledger.corruptFrames > 0 { return "the clip does not decode cleanly" }
    if ledger.frames != clip.frames { return "\(ledger.frames) frames decoded, the header says \(clip.frames)" }
    if ledger.unreadableCounters + ledger.lostCounters + ledger.repeatedCounters > 0 {
      return "frame counters are lost, repeated or unreadable"
    }
    if ledger.gopLengths.keys.contains(where: { $0 != clip.gop }) || ledger.keyFrames * clip.gop != clip.frames {
      return "a GOP is not \(clip.gop) frames long"
    }
    if audioFrames != clip.audioFrames { return "\(audioFrames) audio frames decoded, not \(clip.audioFrames)" }
    return nil
  }

  private func fail(_ output: LineOutput, _ message: String) -> Int32 {
    output.emit("failed", [("message", .string(message))])
    FileDescriptorWriter(descriptor: 2).write("streamrig-media: \(message)\n")
    return 1
  }
}

extension StreamDecoder {
  /// A decoder for a stream known from elsewhere; `extradata` is what its container would carry.
  convenience init(codec: AVCodecID, timeBase: AVRational, extradata: () -> [UInt8]) throws(AVFailure) {
    var parameters = avcodec_parameters_alloc()
    defer { avcodec_parameters_free(&parameters) }
    guard let parameters else { throw .outOfMemory("make a decoder") }
    let bytes = extradata()
    guard let copy = av_mallocz(bytes.count + Int(AV_INPUT_BUFFER_PADDING_SIZE)) else {
      throw .outOfMemory("make a decoder")
    }
    let data = copy.assumingMemoryBound(to: UInt8.self)
    data.update(from: bytes, count: bytes.count)
    parameters.pointee.codec_type = avcodec_get_type(codec)
    parameters.pointee.codec_id = codec
    // Freed with the parameters.
    parameters.pointee.extradata = data
    parameters.pointee.extradata_size = Int32(bytes.count)
    if codec == AV_CODEC_ID_AAC {
      parameters.pointee.sample_rate = Int32(ClipSettings.audioRate)
      av_channel_layout_default(&parameters.pointee.ch_layout, 1)
    }
    try self.init(parameters: parameters, timeBase: timeBase, assembles: false)
  }
}
