import RigBytes
import RigModel

/// One track as the JSON line of a clip file describes it.
struct ClipHeaderEntry {
  var coding: ClipTrack.Coding
  var clockRate: Int64
  /// Units that the file must hold.
  var frames: Int64
  /// Ticks after which the track begins anew.
  var loopLength: Int64

  /// The `video` member.
  init(video: JSONValue, at offset: Int) throws(ClipError) {
    guard video["codec"]?.string == "h264" else { throw ClipError(offset: offset, problem: "video is not h264") }
    let fps = try ClipHeaderEntry.number(video, "fps", 1...1000, at: offset)
    frames = try ClipHeaderEntry.number(video, "frames", 1...10_000_000, at: offset)
    let sps = try ClipHeaderEntry.parameterSet(video, "sps", type: 7, at: offset)
    let pps = try ClipHeaderEntry.parameterSet(video, "pps", type: 8, at: offset)
    coding = .h264(
      ClipTrack.H264(
        width: Int(try ClipHeaderEntry.number(video, "width", 1...16384, at: offset)),
        height: Int(try ClipHeaderEntry.number(video, "height", 1...16384, at: offset)), sequenceParameterSets: [sps],
        pictureParameterSets: [pps]))
    clockRate = 90_000
    loopLength = frames * 90_000 / fps
  }

  /// The `audio` member.
  init(audio: JSONValue, at offset: Int) throws(ClipError) {
    guard audio["codec"]?.string == "aac" else { throw ClipError(offset: offset, problem: "audio is not aac") }
    let rate = try ClipHeaderEntry.number(audio, "rate", 7350...96_000, at: offset)
    frames = try ClipHeaderEntry.number(audio, "frames", 1...10_000_000, at: offset)
    let samples = try ClipHeaderEntry.number(audio, "samples-per-frame", 1...4096, at: offset)
    guard let config = audio["config"]?.string.flatMap({ ASCII.bytes(hex: $0) }), config.count >= 2 else {
      throw ClipError(offset: offset, problem: "audio.config is no AudioSpecificConfig in hexadecimal digits")
    }
    coding = .aac(
      ClipTrack.AAC(
        sampleRate: Int(rate), channels: Int(try ClipHeaderEntry.number(audio, "channels", 1...8, at: offset)),
        config: config))
    clockRate = rate
    loopLength = frames * samples
  }

  private static func number(
    _ object: JSONValue, _ key: String, _ range: ClosedRange<Int64>, at offset: Int
  ) throws(ClipError) -> Int64 {
    guard let value = object[key]?.integer, range.contains(value) else {
      throw ClipError(
        offset: offset, problem: "\(key) must be an integer from \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }

  private static func parameterSet(
    _ object: JSONValue, _ key: String, type: UInt8, at offset: Int
  ) throws(ClipError) -> [UInt8] {
    guard let set = object[key]?.string.flatMap({ Base64.decode($0) }), set.count >= 4, set[0] & 31 == type else {
      throw ClipError(offset: offset, problem: "\(key) is no parameter set of type \(type) in base64")
    }
    return set
  }
}
