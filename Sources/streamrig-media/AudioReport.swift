import CAV
import RigModel

/// Decodes the audio stream and reports once a second what came.
final class AudioReport {
  var decoder: StreamDecoder?

  private let output: LineOutput
  private var total = 0
  private var frames = 0
  private var samples = 0
  private var lastPTS: Int64?
  private var lastLine: Int64 = 0

  init(output: LineOutput) { self.output = output }

  var summary: [(String, JSONValue?)] { [("audio-frames", decoder == nil ? nil : .count(total))] }

  func decode(_ packet: UnsafePointer<AVPacket>?) -> Int32 {
    guard let decoder else { return 0 }
    return decoder.decode(packet) { frame in
      total += 1
      frames += 1
      samples += Int(frame.pointee.nb_samples)
      lastPTS = frame.pointee.best_effort_timestamp.validPTS ?? lastPTS
    }
  }

  func tick(at now: Int64) {
    if now - lastLine >= 1_000_000_000 { flush(at: now) }
  }

  func flush(at now: Int64) {
    lastLine = now
    guard frames > 0 else { return }
    output.emit(
      "audio", at: now,
      [("frames", .count(frames)), ("samples", .count(samples)), ("pts", lastPTS.map(JSONValue.exact))])
    frames = 0
    samples = 0
  }
}
