/// A number that cases measure: what plans may limit, in which units, and who measures it.
public struct MeasurementInfo: Hashable, Sendable {
  /// What must be there for the number to be measured.
  public enum Source: String, CaseIterable, Sendable {
    /// The beginnings and ends of stages, and facts: there in virtual time as well.
    case stages = "stage times"
    case decoder
    case capture
  }

  /// A way to write the unit, and what it is in the measurement's own one.
  public struct Spelling: Hashable, Sendable {
    /// Empty: a bare number.
    public var unit: String
    public var factor: Double
    public init(_ unit: String, _ factor: Double) {
      self.unit = unit
      self.factor = factor
    }
  }

  public var name: String
  /// The unit of records and reports.
  public var unit: String
  public var spellings: [Spelling]
  public var source: Source
  /// One number for each of many samples: plans may limit percentiles, and `min` and `max` mean the extremes.
  public var isDistribution: Bool
  /// May lie below zero.
  public var isSigned: Bool
  /// The stage that is to blame where a limit is exceeded.
  public var stage: StageID
  public var summary: String

  public init(
    _ name: String, _ unit: String, _ spellings: [Spelling], from source: Source, isDistribution: Bool = false,
    isSigned: Bool = false, stage: StageID = .running, _ summary: String
  ) {
    self.name = name
    self.unit = unit
    self.spellings = spellings
    self.source = source
    self.isDistribution = isDistribution
    self.isSigned = isSigned
    self.stage = stage
    self.summary = summary
  }
}

/// Every measurement that plans may limit, with its unit: the one table for records, plan limits and the schema.
public enum MeasurementCatalog {
  public static let all: [MeasurementInfo] = [
    MeasurementInfo(
      "time-to-active", "s", seconds, from: .stages, stage: .startSession,
      "From the start request to the session being active."),
    MeasurementInfo(
      "time-to-key-frame", "s", seconds, from: .stages, stage: .play,
      "From opening the address to the first decoded key frame."),
    MeasurementInfo("video.frame-rate", "fps", [.init("fps", 1)], from: .decoder, "Decoded frames a second."),
    MeasurementInfo("video.frames", "frames", count("frames"), from: .decoder, "Decoded frames."),
    MeasurementInfo("video.decode-errors", "errors", count("errors"), from: .decoder, "Errors of the decoder."),
    MeasurementInfo(
      "video.lost-counters", "frames", count("frames"), from: .decoder,
      "Frames whose number is missing from the counter in the picture."),
    MeasurementInfo(
      "video.bitrate", "bit/s", bitRates, from: .capture,
      "Payload bits of the video a second."),
    MeasurementInfo("audio.bitrate", "bit/s", bitRates, from: .capture, "Payload bits of the audio a second."),
    MeasurementInfo(
      "video.gop", "frames", count("frames"), from: .capture, "Frames from one key frame to the next, at most."),
    MeasurementInfo(
      "video.key-interval", "s", seconds, from: .capture, "Time from one key frame to the next, on average."),
    MeasurementInfo(
      "rtp.longest-burst", "packets", count("packets"), from: .capture, "Packets that are missing in a row, at most."),
    MeasurementInfo("rtp.duplicates", "packets", count("packets"), from: .capture, "Packets that came twice."),
    MeasurementInfo(
      "rtp.reordered", "packets", count("packets"), from: .capture, "Packets that came after a later one."),
    MeasurementInfo(
      "rtp.late", "packets", count("packets"), from: .capture,
      "Of the reordered packets those whose picture was over."),
    MeasurementInfo(
      "rtp.loss", "%", [.init("%", 1)], from: .capture, "Lost packets of all streams, as a share of those expected."),
    MeasurementInfo(
      "rtp.jitter", "ms", milliseconds, from: .capture, isDistribution: true,
      "Interarrival jitter (RFC 3550 A.8) after each packet of all streams."),
    MeasurementInfo(
      "av.offset", "ms", milliseconds, from: .capture, isSigned: true,
      "How much later audio arrives than the video that was sampled with it."),
  ]

  public static func info(_ name: String) -> MeasurementInfo? { all.first { $0.name == name } }

  private static let seconds: [MeasurementInfo.Spelling] = [.init("ms", 0.001), .init("s", 1), .init("min", 60)]
  private static let bitRates: [MeasurementInfo.Spelling] = [
    .init("bit/s", 1), .init("kbit/s", 1e3), .init("Mbit/s", 1e6),
  ]
  private static let milliseconds: [MeasurementInfo.Spelling] = [.init("ms", 1), .init("s", 1000)]
  private static func count(_ noun: String) -> [MeasurementInfo.Spelling] { [.init("", 1), .init(noun, 1)] }
}
