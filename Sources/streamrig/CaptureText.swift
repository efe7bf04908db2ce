import RigChecks
import RigModel
import RigReport

/// Streams and findings of `streamrig check` as text and JSON.
enum CaptureText {
  static func line(_ s: StreamStatistics) -> String {
    let ssrc = String(s.ssrc, radix: 16)
    let loss = s.expected > 0 ? Decimal3(100 * Double(s.lost) / Double(s.expected)).description : "0"
    var text = "stream \(ssrc) \(s.codec ?? "pt \(s.payloadType)") \(s.transport.rawValue): \(s.packets) packets, "
    text += "lost \(s.lost) of \(s.expected) (\(loss) %), duplicates \(s.duplicates), late \(s.reordered), "
    text += "jitter \(Decimal3(s.jitter * 1000)) ms"
    if let rate = s.bitRate { text += ", \(BitRate(bitsPerSecond: Int64(rate)))" }
    if s.keyFrames > 0 { text += ", \(s.frames) frames, \(s.keyFrames) key" }
    return text
  }

  static func line(_ f: Finding) -> String {
    var text = "\(f.severity.rawValue) \(f.check): \(f.message)"
    if let frame = f.first.frame { text += " [frame \(frame)" + (f.count > 1 ? ", \(f.count) times]" : "]") }
    return text
  }

  static func json(_ s: StreamStatistics, file: String) -> JSONValue {
    [
      "kind": "stream", "file": .string(file), "ssrc": .integer(Int64(s.ssrc)),
      "payload-type": .integer(Int64(s.payloadType)), "codec": s.codec.map { .string($0) },
      "transport": .string(s.transport.rawValue), "packets": .integer(s.packets),
      "expected": .integer(Int64(s.expected)), "lost": .integer(Int64(s.lost)),
      "duplicates": .integer(Int64(s.duplicates)), "reordered": .integer(Int64(s.reordered)),
      "jitter-seconds": .number(s.jitter), "bytes": .integer(s.bytes), "bit-rate": s.bitRate.map { .number($0) },
      "frames": .integer(s.frames), "key-frames": .integer(s.keyFrames),
    ]
  }

  static func json(_ f: Finding, file: String) -> JSONValue {
    [
      "kind": "finding", "file": .string(file), "check": .string(f.check), "severity": .string(f.severity.rawValue),
      "message": .string(f.message), "count": .integer(Int64(f.count)),
      "frame": f.first.frame.map { .integer(Int64($0)) }, "time": f.first.time.map { .string(String($0)) },
      "ssrc": f.first.ssrc.map { .integer(Int64($0)) }, "sequence": f.first.sequence.map { .integer($0) },
      "offset": f.first.offset.map { .integer($0) },
    ]
  }
}
