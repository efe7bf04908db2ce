import CAV
import Glibc
import RigModel

/// `decode`: takes coded pictures from standard input, and reports what comes out of the decoder.
///
/// The input is a row of records, each of a length of 4 bytes, a time of 8 (both big-endian; the time is the caller's,
/// in nanoseconds) and so many bytes of one coded picture in the byte stream format of ITU-T H.264 or H.265 annex B.
/// A record of no bytes is the last.
/// The lines are those of `probe`, with `at`, the time of the picture's record, in `key-frame` and `frame`:
/// ```
/// key-frame     n, at, width, height    once: the first key frame that was decoded whole
/// frame         n, at, key, width, height, corrupt
/// decode-error  code, message, count
/// summary       as of probe
/// ```
struct DecodeCommand {
  let codec: AVCodecID
  private static let pictureLimit: UInt32 = 16 << 20

  static func codec(in arguments: [String]) throws(UsageError) -> AVCodecID {
    switch arguments {
    case ["--codec", "h264"]: return AV_CODEC_ID_H264
    case ["--codec", "h265"]: return AV_CODEC_ID_HEVC
    default: throw UsageError("decode takes --codec h264 or --codec h265")
    }
  }

  func run() -> Int32 {
    let output = LineOutput()
    _ = LibavLog.install(writingTo: output)
    do throws(AVFailure) {
      let decoder = try StreamDecoder(codec: codec, timeBase: AVRational(num: 1, den: 1_000_000)) { [] }
      return try decode(decoder, output)
    } catch {
      FileDescriptorWriter(descriptor: 2).write("streamrig-media: \(error.message)\n")
      return 1
    }
  }

  private func decode(_ decoder: StreamDecoder, _ output: LineOutput) throws(AVFailure) -> Int32 {
    let errors = DecodeErrorReport(output: output)
    var ledger = FrameLedger(readsCounter: false, counterModulus: nil)
    var first: Int64?
    func take(_ frame: UnsafePointer<AVFrame>) {
      let isCorrupt = frame.pointee.decode_error_flags != 0 || frame.pointee.flags & AV_FRAME_FLAG_CORRUPT != 0
      let isKey = frame.pointee.key_frame == 1
      let luma = LumaPicture(frame)
      let pts = frame.pointee.best_effort_timestamp.validPTS
      let number = ledger.frames
      let isFirstKey = isKey && !isCorrupt && ledger.keyFrames == 0
      ledger.add(
        pts: pts, isKey: isKey && !isCorrupt, isCorrupt: isCorrupt, isBlack: luma?.isBlack ?? false, counter: nil,
        samples: luma?.samples ?? [])
      let at = pts.map { JSONValue.string(String((first ?? 0) &+ $0 &* 1000)) }
      let size: [(String, JSONValue?)] = [
        ("width", .integer(Int64(frame.pointee.width))), ("height", .integer(Int64(frame.pointee.height))),
      ]
      if isFirstKey { output.emit("key-frame", [("n", .count(number)), ("at", at)] + size) }
      output.emit(
        "frame",
        [("n", .count(number)), ("at", at), ("key", .bool(isKey))] + size + [("corrupt", isCorrupt ? true : nil)])
    }
    func note(_ code: Int32) {
      if code < 0 { errors.note(code, "decode: \(AVFailure.reason(for: code))", at: monotonicNanoseconds()) }
    }
    var packet = av_packet_alloc()
    defer { av_packet_free(&packet) }
    guard let packet else { throw .outOfMemory("make a packet") }
    var isWhole = true
    while let (time, bytes) = read(&isWhole) {
      guard cav_stop_signal() == 0, !output.isBroken else { return 1 }
      first = first ?? time
      // libav reads a few (zeroed) bytes past the end.
      try check(av_new_packet(packet, Int32(bytes.count)), "make a packet")
      if let data = packet.pointee.data { data.update(from: bytes, count: bytes.count) }
      packet.pointee.pts = (time &- (first ?? 0)) / 1000
      packet.pointee.dts = packet.pointee.pts
      note(decoder.decode(packet, each: take))
      av_packet_unref(packet)
    }
    note(decoder.decode(nil, each: take))
    errors.flush(at: monotonicNanoseconds())
    ledger.decodeErrors = errors.total
    output.emit("summary", ledger.summary(timeBase: 1e-6))
    return isWhole ? 0 : 1
  }

  /// The next record; `nil` at the end, or where it breaks off, which `isWhole` tells.
  private func read(_ isWhole: inout Bool) -> (time: Int64, bytes: [UInt8])? {
    let head = take(12)
    guard head.count == 12 else {
      isWhole = false
      return nil
    }
    let length = head[0..<4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    let time = head[4..<12].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    // The end is said, not only seen.
    if length == 0 { return nil }
    guard length <= DecodeCommand.pictureLimit else {
      isWhole = false
      return nil
    }
    let bytes = take(Int(length))
    guard bytes.count == Int(length) else {
      isWhole = false
      return nil
    }
    return (Int64(bitPattern: time), bytes)
  }

  private func take(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var got = 0
    while got < count {
      let n = bytes.withUnsafeMutableBytes { Glibc.read(0, $0.baseAddress?.advanced(by: got), count - got) }
      if n < 0, errno == EINTR, cav_stop_signal() == 0 { continue }
      guard n > 0 else { break }
      got += n
    }
    bytes.removeLast(count - got)
    return bytes
  }
}
