import CAV

/// Makes a clip in memory: encodes, measures, and corrects until the bit rate is the one asked for.
struct ClipEncoder {
  private static let maximumAttempts = 6
  /// Good enough to stop; the contract is ±10 %.
  private static let tolerance = 0.02
  /// The quantiser of quality 0.
  private static let bestQuantiser = 10

  let settings: ClipSettings

  func encode() throws(AVFailure) -> Clip {
    var best = try attempt(rate: settings.bitRate, effort: 1)
    if settings.quality == nil {
      var rate = Double(settings.bitRate)
      var effort = 1.0
      var current = best
      for _ in 1..<Self.maximumAttempts where error(of: best) > Self.tolerance {
        let ratio = Double(current.videoBitRate) / Double(settings.bitRate)
        // The rate control is asked for more or less first; a picture too simple (too busy) for it is changed.
        rate = min(max(rate / ratio, Double(settings.bitRate) / 2), Double(settings.bitRate) * 2)
        if !(0.9...1.1).contains(ratio) { effort = min(max(effort / ratio, 0.1), 8) }
        current = try attempt(rate: Int(rate), effort: effort)
        if error(of: current) < error(of: best) { best = current }
      }
      guard error(of: best) <= 0.1 else {
        throw AVFailure(
          cav_error(ERANGE),
          "meet \(settings.bitRate) bit/s at this size and frame rate (\(best.videoBitRate) bit/s came nearest)")
      }
    }
    if settings.hasAudio {
      let audio = try AudioEncoder.encode(frames: settings.audioFrames)
      best.audioConfig = audio.config
      best.audio = audio.units
    }
    return best
  }

  private func error(of clip: Clip) -> Double {
    abs(Double(clip.videoBitRate) / Double(settings.bitRate) - 1)
  }

  /// - Parameter effort: scales how busy the picture is; 1 suits most rates.
  private func attempt(rate: Int, effort: Double) throws(AVFailure) -> Clip {
    let pixelRate = Double(settings.width * settings.height * settings.framesPerSecond)
    let bitsPerPixel = Double(settings.bitRate) / pixelRate * effort
    let picture = TestPicture(
      width: settings.width, height: settings.height, busyness: 0.1 + bitsPerPixel,
      amplitude: 12 + Int(min(bitsPerPixel, 4) * 20), seed: settings.seed)
    let control: VideoEncoder.Control =
      settings.quality.map { .quantiser(min(51, Self.bestQuantiser + $0)) } ?? .bitRate(rate)
    let encoder = try VideoEncoder(settings, control: control)
    var units: [EncodedUnit] = []
    let count = settings.frames
    units.reserveCapacity(count)
    for number in 0..<count {
      guard cav_stop_signal() == 0 else { throw AVFailure(cav_error_exit(), "encode") }
      try encoder.encode(number) { frame in
        switch settings.scene {
        case .moving: picture.paint(number, counter: number, into: frame)
        case .still: picture.paint(0, counter: 0, into: frame)
        case .black: TestPicture.paintBlack(frame, height: settings.height)
        }
      } each: {
        units.append($0)
      }
    }
    try encoder.finish { units.append($0) }
    guard units.count == count, units.enumerated().allSatisfy({ $1.isKey == ($0 % settings.gop == 0) }) else {
      throw AVFailure(cav_error_invalid_data(), "encode GOPs of exactly \(settings.gop) frames")
    }
    return Clip(
      settings: settings, sequenceParameterSet: encoder.sequenceParameterSet,
      pictureParameterSet: encoder.pictureParameterSet, video: finished(units, encoder))
  }

  /// Time stamps in units of 90 kHz, and the parameter sets in the stream where wanted.
  private func finished(_ units: [EncodedUnit], _ encoder: VideoEncoder) -> [EncodedUnit] {
    var parameterSets: [UInt8] = []
    if settings.hasInbandParameterSets {
      AnnexB.appendWithLength(encoder.sequenceParameterSet, to: &parameterSets)
      AnnexB.appendWithLength(encoder.pictureParameterSet, to: &parameterSets)
    }
    return units.enumerated().map { number, unit in
      EncodedUnit(
        pts: Int64(number * 90_000 / settings.framesPerSecond), isKey: unit.isKey,
        bytes: unit.isKey ? parameterSets + unit.bytes : unit.bytes)
    }
  }
}
