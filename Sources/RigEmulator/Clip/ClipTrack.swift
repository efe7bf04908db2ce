/// One elementary stream of a clip: coded units in decoding order on the stream's own RTP clock.
public struct ClipTrack: Sendable {
  /// H.264 as RFC 6184 carries it.
  public struct H264: Hashable, Sendable {
    /// Pixels.
    public var width: Int
    public var height: Int
    /// NAL units without start code or length; at least one of each.
    public var sequenceParameterSets: [[UInt8]]
    public var pictureParameterSets: [[UInt8]]
    public init(width: Int, height: Int, sequenceParameterSets: [[UInt8]], pictureParameterSets: [[UInt8]]) {
      self.width = width
      self.height = height
      self.sequenceParameterSets = sequenceParameterSets
      self.pictureParameterSets = pictureParameterSets
    }
  }

  /// AAC as RFC 3640 carries it in mode AAC-hbr.
  public struct AAC: Hashable, Sendable {
    /// Hz, and the RTP clock rate.
    public var sampleRate: Int
    public var channels: Int
    /// AudioSpecificConfig (ISO/IEC 14496-3 1.6.2.1).
    public var config: [UInt8]
    public init(sampleRate: Int, channels: Int, config: [UInt8]) {
      self.sampleRate = sampleRate
      self.channels = channels
      self.config = config
    }
  }

  public enum Coding: Hashable, Sendable {
    case h264(H264)
    case aac(AAC)
  }

  /// One access unit or audio frame. All times are ticks of the track's clock from the start of the clip.
  public struct Unit: Hashable, Sendable {
    /// When it is shown.
    public var presentation: Int64
    /// When it is sent: the presentation times in rising order, so that reordered pictures keep an even pace.
    public var decode: Int64
    /// Until the next unit's `decode`, or to the end of the loop.
    public var duration: Int64
    /// A decoder can start here; true for each audio frame.
    public var isKey: Bool
    /// Where the bytes stand in `Clip.data`.
    public var bytes: Range<Int>
  }

  public let coding: Coding
  /// Ticks per second.
  public let clockRate: Int64
  /// Never empty.
  public let units: [Unit]
  /// Ticks after which the track begins anew; more than the last unit's `decode`.
  public let loopLength: Int64

  public var isVideo: Bool { if case .h264 = coding { true } else { false } }

  /// Nanoseconds of `ticks`, rounded down, without overflow for any clip that runs less than 200 years.
  public func nanoseconds(_ ticks: Int64) -> Int64 {
    let (seconds, rest) = ticks.quotientAndRemainder(dividingBy: clockRate)
    return seconds &* 1_000_000_000 &+ rest &* 1_000_000_000 / clockRate
  }

  /// Ticks in `nanoseconds`, rounded down.
  public func ticks(nanoseconds: Int64) -> Int64 {
    let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    return seconds &* clockRate &+ rest &* clockRate / 1_000_000_000
  }
}
