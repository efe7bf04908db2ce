public import RigModel

extension AnalysisResult {
  /// How a stream is called in the names of measurements.
  public enum StreamNaming: Sendable {
    /// `h264`, and `h264-2` for the second stream of that kind.
    case codec
    /// `00c0ffee`
    case ssrc
  }

  /// Streams beyond so many have no measurements: a report for people, not a data base.
  private static let measuredStreams = 16

  /// The numbers of the capture as a whole (`rtp.loss`), then those of each stream (`rtp.h264.loss`).
  ///
  /// | name | unit | of the whole capture |
  /// |---|---|---|
  /// | `rtp.loss` | % | lost of expected packets, all streams together |
  /// | `rtp.longest-burst` | packets | missing in a row, longest of all streams |
  /// | `rtp.duplicates`, `rtp.reordered`, `rtp.late` | packets | all streams together |
  /// | `rtp.jitter`, `rtp.max-jitter` | ms | RFC 3550 A.8 at the end and at its greatest, worst of all streams |
  /// | `rtp.drift`, `rtp.skew` | ppm | RTP time against sender's clock, and that against the capture's; farthest from 0 |
  /// | `video.bitrate`, `audio.bitrate` | bit/s | payload, all such streams together |
  /// | `video.frame-rate` | fps | of the first video stream, by the capture's clock |
  /// | `video.gop`, `video.key-interval` | frames, s | longest group of pictures; mean time between key frames |
  /// | `av.offset` | ms | audio after video by the sender reports, farthest from 0 |
  public func measurements(naming: StreamNaming) -> [Measurement] {
    guard !streams.isEmpty else { return [] }
    var list = wholes()
    var seen: [String: Int] = [:]
    for stream in streams.prefix(Self.measuredStreams) {
      var name = naming == .ssrc ? String(Hex8(stream.ssrc).description.dropFirst(2)) : stream.shortName
      seen[name, default: 0] += 1
      if let count = seen[name], count > 1 { name += "-\(count)" }
      list += stream.measurements("rtp.\(name)")
    }
    return list
  }

  private func wholes() -> [Measurement] {
    var list: [Measurement] = []
    func add(_ name: String, _ value: Double?, _ unit: String) {
      if let value { list.append(Measurement(name, value, unit)) }
    }
    func sum(_ key: KeyPath<StreamStatistics, Int>) -> Double { streams.reduce(0) { $0 + Double($1[keyPath: key]) } }
    let video = streams.filter(\.isVideo)
    let audio = streams.filter { $0.codec != nil && !$0.isVideo }
    add("rtp.loss", StreamStatistics.percent(sum(\.lost), of: sum(\.expected)), "%")
    add("rtp.longest-burst", streams.map { Double($0.longestBurst) }.max(), "packets")
    add("rtp.duplicates", sum(\.duplicates), "packets")
    add("rtp.reordered", sum(\.reordered), "packets")
    add("rtp.late", sum(\.late), "packets")
    if let worst = streams.map({ $0.jitter * 1000 }).max() {
      var jitters = LogHistogram()
      for stream in streams { jitters.merge(stream.jitters) }
      list.append(Measurement("rtp.jitter", worst, "ms", distribution: jitters.distribution))
    }
    add("rtp.max-jitter", streams.map { $0.maxJitter * 1000 }.max(), "ms")
    add("rtp.drift", Self.farthest(streams.compactMap(\.drift)), "ppm")
    add("rtp.skew", Self.farthest(streams.compactMap(\.skew)), "ppm")
    add("video.bitrate", Self.total(video.compactMap(\.bitRate)), "bit/s")
    add("audio.bitrate", Self.total(audio.compactMap(\.bitRate)), "bit/s")
    add("video.frame-rate", video.first?.frameRate, "fps")
    add("video.gop", video.compactMap(\.longestGOP).max().map(Double.init), "frames")
    add("video.key-interval", video.first?.keyInterval, "s")
    add("av.offset", Self.farthest(offsets.compactMap(\.offset)).map { $0 * 1000 }, "ms")
    return list
  }

  private static func farthest(_ values: [Double]) -> Double? { values.max { abs($0) < abs($1) } }
  private static func total(_ values: [Double]) -> Double? { values.isEmpty ? nil : values.reduce(0, +) }
}

extension StreamStatistics {
  public var isVideo: Bool { codec == "H264" || codec == "H265" }

  /// Letters, digits and hyphens only: the encoding name comes from the wire.
  fileprivate var shortName: String {
    guard let codec, !codec.isEmpty else { return "pt\(payloadType)" }
    return String(
      String.UnicodeScalarView(
        codec.lowercased().unicodeScalars.prefix(32).map {
          $0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil) ? $0 : "-"
        }))
  }

  fileprivate static func percent(_ part: Double, of whole: Double) -> Double { whole > 0 ? 100 * part / whole : 0 }

  fileprivate func measurements(_ prefix: String) -> [Measurement] {
    var list: [Measurement] = []
    func add(_ name: String, _ value: Double?, _ unit: String) {
      if let value { list.append(Measurement("\(prefix).\(name)", value, unit)) }
    }
    add("packets", Double(packets), "packets")
    add("loss", Self.percent(Double(lost), of: Double(expected)), "%")
    add("longest-burst", Double(longestBurst), "packets")
    add("duplicates", Double(duplicates), "packets")
    add("reordered", Double(reordered), "packets")
    add("late", Double(late), "packets")
    add("jitter", jitter * 1000, "ms")
    add("max-jitter", maxJitter * 1000, "ms")
    add("drift", drift, "ppm")
    add("skew", skew, "ppm")
    add("bitrate", bitRate, "bit/s")
    add("frame-rate", frameRate, "fps")
    add("gop", longestGOP.map(Double.init), "frames")
    add("key-interval", keyInterval, "s")
    return list
  }
}
