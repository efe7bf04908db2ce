public import RigModel

/// What the media witness reports while a stream is open.
public enum MediaSignal: Sendable {
  case fact(Fact)
  /// A line of the helper, for `media.jsonl`.
  case line(String)
  /// Decoded video frames so far, and the last one's time.
  case frames(count: Int, last: HostTime)
  case summary(MediaSummary)
  /// The helper itself died or hangs: a finding with evidence, not the end of the run.
  case helperFailed(String)
}

/// What was decoded from first to last frame.
public struct MediaSummary: Hashable, Sendable {
  public var frames: Int
  public var keyFrames: Int
  public var decodeErrors: Int
  public var width: Int
  public var height: Int
  public var codec: String
  /// Different numbers of frames from one key frame to the next, as decoded.
  public var gopLengths: [Int]
  public var frameRate: Double
  /// Numbers missing from, and repeated in, the frame counter read back from the picture.
  public var lostCounters: Int
  public var repeatedCounters: Int
  /// Pictures that are black, and those that show what the one before showed.
  public var blackFrames: Int
  public var stillFrames: Int
  public init(
    frames: Int = 0, keyFrames: Int = 0, decodeErrors: Int = 0, width: Int = 0, height: Int = 0, codec: String = "",
    gopLengths: [Int] = [], frameRate: Double = 0, lostCounters: Int = 0, repeatedCounters: Int = 0,
    blackFrames: Int = 0, stillFrames: Int = 0
  ) {
    self.frames = frames
    self.keyFrames = keyFrames
    self.decodeErrors = decodeErrors
    self.width = width
    self.height = height
    self.codec = codec
    self.gopLengths = gopLengths
    self.frameRate = frameRate
    self.lostCounters = lostCounters
    self.repeatedCounters = repeatedCounters
    self.blackFrames = blackFrames
    self.stillFrames = stillFrames
  }
}

/// Opens the received URL, and nothing else, and proves the media by decoding it.
public protocol MediaProbe: Sendable {
  /// - Parameter counterModulus: after how many frames the counter in the picture begins again; `nil`: no counter.
  func open(
    _ url: String, transport: MediaTransport, counterModulus: Int?, _ signal: @escaping @Sendable (MediaSignal) -> Void
  ) async
  /// Ends the stream; the summary has been signalled when it returns.
  func close() async
}
