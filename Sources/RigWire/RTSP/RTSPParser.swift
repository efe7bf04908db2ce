import RigBytes

/// Cuts a byte stream into RTSP messages and interleaved frames (RFC 2326 4–7, 10.12), as far as the stream lets it.
///
/// Sans I/O: push bytes as they come, then call `next()` until it gives `nil`; call `finish()` when the stream ends
/// and drain once more. How the bytes were cut into pushes never changes the items. Every byte is looked at a small,
/// constant number of times, and at most about 1.2 MiB plus one push is held.
///
/// Where framing is lost the parser looks first inside the frame that led astray (a sender that dropped the tail of
/// a frame goes on with the next one in the middle of the announced length), then forward. It takes up again at an
/// RTSP start line, or at a `$` with a channel seen before, a length, RTP version 2 and either that channel's SSRC or
/// a plausible successor.
public struct RTSPParser: Sendable {
  public enum Item: Hashable, Sendable {
    /// `offset`: of the first byte of the start line in the stream.
    case message(RTSPMessage, offset: Int64, deviations: [RTSPDeviation])
    /// `offset`: of the `$`. The payload may be empty.
    case interleaved(channel: UInt8, payload: [UInt8], offset: Int64)
    /// An interleaved frame whose announced length is not true.
    case damagedFrame(DamagedFrame)
    /// Bytes that are nothing; `first` holds at most 32 of them. Long runs come in pieces of at most 64 KiB.
    case garbage(offset: Int64, count: Int, first: [UInt8])
    /// A message beyond the limits. Its bytes follow as garbage.
    case oversized(Part, offset: Int64, announced: Int)
  }

  public enum Part: String, Sendable { case headers, body }

  public struct DamagedFrame: Hashable, Sendable {
    public enum Reason: String, Sendable {
      /// The next frame or message begins before the announced length is reached.
      case short = "short-frame"
      /// An RTSP message stands where the body should.
      case rtspInFrame = "rtsp-in-frame"
      /// The stream ends inside the frame.
      case endOfStream = "end-of-stream"
    }
    public var channel: UInt8
    /// Of the `$`.
    public var offset: Int64
    public var announced: Int
    /// Body bytes before the damage.
    public var found: Int
    public var reason: Reason
    /// Whether an `.interleaved` item with the announced length came out before the damage was seen.
    public var wasDelivered: Bool
    /// At most the first 64 of the `found` bytes.
    public var head: [UInt8]
  }

  public static let maximumHeaderBytes = 64 << 10
  public static let maximumBodyBytes = 1 << 20
  static let maximumStartLine = 8 << 10
  static let garbagePiece = 64 << 10

  struct Frame: Sendable {
    var start: Int
    var channel: UInt8
    var announced: Int
    var end: Int
    var wasDelivered: Bool
  }

  /// The search for a place to take up again.
  struct Hunt: Sendable {
    var position: Int
    /// The frame that led astray, while the search is inside of it.
    var frame: Frame?
    var garbageStart: Int
  }

  struct PartialMessage: Sendable {
    var start: Int
    /// Where the line that is being read begins, and how far it was searched for its end.
    var lineStart: Int
    var scanned: Int
  }

  struct PartialBody: Sendable {
    var message: RTSPMessage
    var start: Int
    var bodyStart: Int
    var length: Int
    var deviations: [RTSPDeviation]
  }

  enum Mode: Sendable {
    case boundary
    case hunting(Hunt)
    case headers(PartialMessage)
    case body(PartialBody)
  }

  enum Step {
    case item(Item)
    case again
    case needMore
  }

  // Positions count from the start of the stream; `base` is that of `buffer[0]`.
  var buffer: [UInt8] = []
  var base = 0
  var cursor = 0
  var isFinished = false
  var mode = Mode.boundary
  /// The last frame delivered, until what follows it has proved its length.
  var lastFrame: Frame?
  /// Bytes before this were already searched once after a loss of framing: searching again could go on for ever.
  var searchFloor = 0
  var blankBytes = 0
  var isInsideFrame = false
  var channelSeen = [Bool](repeating: false, count: 256)
  var hasSeenChannel = false
  /// The SSRC of the last frame of each channel: where it comes again, a frame begins.
  var channelSource = [UInt32?](repeating: nil, count: 256)
  /// No line end and no control byte stands in `lineScan`.
  var lineScan = 0..<0

  public init() {}

  /// Where the item that came last ends, from the start of the stream.
  public var position: Int64 { Int64(cursor) }
  /// Bytes pushed and not yet given out.
  public var pendingBytes: Int { end - cursor }
  /// Bytes in memory: those, and the last frame until its length has proved true.
  public var heldBytes: Int { buffer.count }
  var end: Int { base + buffer.count }

  func at(_ position: Int) -> UInt8 { buffer[position - base] }
  func slice(_ range: Range<Int>) -> ArraySlice<UInt8> { buffer[(range.lowerBound - base)..<(range.upperBound - base)] }

  /// Takes bytes of the stream; after `finish()` they are ignored.
  public mutating func push(_ bytes: some Collection<UInt8>) {
    guard !isFinished else { return }
    compact()
    buffer.append(contentsOf: bytes)
  }

  /// The stream has ended: what waits for more bytes comes out of `next()` as well as it can.
  public mutating func finish() { isFinished = true }

  /// The next item; `nil` until more bytes come.
  public mutating func next() -> Item? {
    while true {
      let step: Step
      switch mode {
      case .boundary: step = stepAtBoundary()
      case .hunting(let hunt): step = stepHunting(hunt)
      case .headers(let partial): step = stepInHeaders(partial)
      case .body:
        guard isBodyComplete else { return nil }
        step = completeBody()
      }
      switch step {
      case .item(let item): return item
      case .again: continue
      case .needMore: return nil
      }
    }
  }

  private mutating func compact() {
    let keep: Int
    switch mode {
    case .boundary: keep = min(lastFrame?.start ?? cursor, cursor)
    case .hunting(let hunt): keep = min(hunt.frame?.start ?? hunt.position, hunt.garbageStart)
    case .headers(let partial): keep = partial.start
    case .body(let partial): keep = partial.start
    }
    let dead = keep - base
    guard dead > 32 << 10 || dead == buffer.count, dead * 2 >= buffer.count else { return }
    buffer.removeFirst(dead)
    base = keep
  }
}
