import CAV
import RigModel

/// Decodes the video stream and reports each frame, the first key frame, and pauses.
final class VideoReport {
  var decoder: StreamDecoder?
  var timeBase = 0.0
  var stream = 0
  var ledger: FrameLedger

  private let output: LineOutput
  private let readsCounter: Bool
  private let gap: Int64
  private var lastFrame: Int64?
  private var gapReported = false

  init(_ request: ProbeRequest, output: LineOutput) {
    self.output = output
    readsCounter = request.readsCounter
    gap = request.gap.nanoseconds
    ledger = FrameLedger(readsCounter: request.readsCounter, counterModulus: request.counterModulus)
  }

  var summary: [(String, JSONValue?)] { ledger.summary(timeBase: timeBase) }

  func decode(_ packet: UnsafePointer<AVPacket>?) -> Int32 {
    guard let decoder else { return 0 }
    var corrupt = false
    let code = decoder.decode(packet) { frame in
      if report(frame) { corrupt = true }
    }
    return code == 0 && corrupt ? cav_error_invalid_data() : code
  }

  /// Reports a frame; returns whether parts of it were made up by the decoder.
  private func report(_ frame: UnsafePointer<AVFrame>) -> Bool {
    let now = monotonicNanoseconds()
    let isCorrupt = frame.pointee.decode_error_flags != 0 || frame.pointee.flags & AV_FRAME_FLAG_CORRUPT != 0
    let isKey = frame.pointee.key_frame == 1
    let pts = frame.pointee.best_effort_timestamp.validPTS
    let luma = LumaPicture(frame)
    let counter = readsCounter ? luma.flatMap(PictureCounter.read) : nil
    endGap(at: now)
    let number = ledger.frames
    let isFirstKey = isKey && !isCorrupt && ledger.keyFrames == 0
    ledger.add(
      pts: pts, isKey: isKey && !isCorrupt, isCorrupt: isCorrupt, isBlack: luma?.isBlack ?? false, counter: counter,
      samples: luma?.samples ?? [])
    let size: [(String, JSONValue?)] = [
      ("width", .integer(Int64(frame.pointee.width))), ("height", .integer(Int64(frame.pointee.height))),
    ]
    if isFirstKey {
      output.emit(
        "key-frame", at: now,
        [("stream", .count(stream)), ("n", .count(number)), ("pts", pts.map(JSONValue.exact))] + size
          + [("fps", decoder?.framesPerSecond.map(JSONValue.number))])
    }
    output.emit(
      "frame", at: now,
      [("n", .count(number)), ("pts", pts.map(JSONValue.exact)), ("key", .bool(isKey))] + size + [
        ("counter", readsCounter ? counter.map(JSONValue.count) ?? .null : nil),
        ("corrupt", isCorrupt ? true : nil),
      ])
    return isCorrupt
  }

  /// Reports a pause as soon as it is one, with `over` false; its whole length follows with the next frame.
  func tick(at now: Int64) {
    guard let lastFrame, !gapReported, now - lastFrame >= gap else { return }
    gapReported = true
    output.emit("gap", at: now, [("ms", .integer((now - lastFrame) / 1_000_000)), ("over", false)])
  }

  private func endGap(at now: Int64) {
    if let lastFrame, gapReported || now - lastFrame >= gap {
      output.emit("gap", at: now, [("ms", .integer((now - lastFrame) / 1_000_000)), ("over", true)])
    }
    gapReported = false
    lastFrame = now
  }
}
