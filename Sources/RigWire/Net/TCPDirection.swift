/// Where bytes of a TCP stream come from.
public struct TCPChunk: Hashable, Sendable {
  /// Offset of the first byte in the stream; 0 is the first byte after SYN, or the first byte captured.
  public var offset: Int64
  /// 1-based number and time (ns since 1970) of the frame that brought the bytes.
  public var frame: Int
  public var time: Int64
  /// Bytes that are missing right before these and will not come; 0 in a whole stream.
  public var gap: Int64
}

/// One direction of a TCP connection as an ordered byte stream (RFC 9293 3.4), rebuilt from captured segments.
///
/// `accept` takes a segment and answers which of its bytes are next in order; `release` then yields bytes that had
/// come too early. Retransmitted and overlapping bytes are dropped, the first copy wins. A hole is given up, and
/// reported as `gap`, when the peer acknowledged beyond it (the capture missed it), when it stayed open for three
/// seconds of capture time, or when too much waits behind it.
public struct TCPDirection: Sendable {
  public enum End: Hashable, Sendable { case fin, reset }

  private struct Held {
    var offset: Int64
    var bytes: [UInt8]
    var frame: Int
    var time: Int64
    var end: Int64 { offset + Int64(bytes.count) }
  }

  /// Most bytes, and most segments, that may wait behind a hole.
  public static let heldByteLimit = 1 << 20
  public static let heldSegmentLimit = 512
  private static let patience: Int64 = 3_000_000_000
  private static let acknowledgedPatience: Int64 = 200_000_000
  /// A jump that no window explains: another connection on the same ports, or damage.
  private static let strayDistance: Int64 = 1 << 26

  private var started = false
  private var next: Int64 = 0
  private var nextSequence: UInt32 = 0
  private var held: [Held] = []
  private var heldBytes = 0
  /// Stream offset up to which the peer acknowledged; -1 before it did.
  public private(set) var acknowledged: Int64 = -1
  private var finOffset: Int64?
  private var strayEnd: UInt32?

  /// Sequence number of the first stream byte; `nil` before any segment.
  public private(set) var initialSequence: UInt32?
  /// The stream was seen from its SYN.
  public private(set) var sawStart = false
  public private(set) var end: End?
  /// A reset came, before the stream had ended in order or after.
  public private(set) var wasReset = false
  /// Bytes received again.
  public private(set) var retransmittedBytes: Int64 = 0
  public private(set) var outOfOrderSegments = 0
  /// Bytes that never came, and the number of holes.
  public private(set) var missingBytes: Int64 = 0
  public private(set) var gaps = 0

  public init() {}

  /// Takes a segment; `nil`: nothing of it is next in order.
  /// - Returns: where the in-order bytes lie in `frame`, and their place in the stream.
  public mutating func accept(
    _ packet: NetworkPacket, in frame: RawSpan, number: Int, time: Int64
  ) -> (chunk: TCPChunk, range: Range<Int>)? {
    let flags = packet.tcp.flags
    var sequence = packet.tcp.sequence
    if flags.contains(.rst) {
      if end == nil { end = .reset }
      wasReset = true
      return nil
    }
    if flags.contains(.syn) {
      sequence &+= 1
      if !started { begin(at: sequence, fromStart: true) }
    }
    let length = packet.payload.count
    if !started {
      // A bare ACK of a connection that was running before the capture may be a keep-alive probe, one byte back.
      guard length > 0 || flags.contains(.fin) else { return nil }
      begin(at: sequence, fromStart: false)
    }
    var offset = next + Int64(Int32(bitPattern: sequence &- nextSequence))
    if abs(offset - next) > Self.strayDistance {
      guard length > 0, let expected = strayEnd, expected == sequence else {
        strayEnd = sequence &+ UInt32(truncatingIfNeeded: length)
        return nil
      }
      // Two neighbours in the new place: the capture missed a long stretch.
      nextSequence = sequence
      gaps += 1
      held = []
      heldBytes = 0
      offset = next
    }
    strayEnd = nil
    if flags.contains(.fin) { finOffset = offset + Int64(length + packet.missing) }
    defer { noteEnd() }
    guard length > 0 else { return nil }
    let stop = offset + Int64(length)
    if stop <= next {
      retransmittedBytes += Int64(length)
      return nil
    }
    if offset <= next {
      let skip = Int(next - offset)
      retransmittedBytes += Int64(skip)
      let chunk = TCPChunk(offset: next, frame: number, time: time, gap: 0)
      advance(to: stop)
      return (chunk, packet.payload.lowerBound + skip..<packet.payload.upperBound)
    }
    hold(frame, packet.payload, at: offset, number: number, time: time)
    return nil
  }

  /// What the other side acknowledged: bytes it has were sent, whether captured or not.
  public mutating func peerAcknowledged(_ acknowledgment: UInt32) {
    guard started else { return }
    let offset = next + Int64(Int32(bitPattern: acknowledgment &- nextSequence))
    if offset > acknowledged, abs(offset - next) <= Self.strayDistance { acknowledged = offset }
  }

  /// Yields held bytes that are in order now, or behind a hole that is given up. Call until `nil` after each segment,
  /// and with `flush` at the end of the capture.
  public mutating func release(now: Int64, flush: Bool = false) -> (chunk: TCPChunk, bytes: [UInt8])? {
    while let first = held.first {
      if first.end <= next {
        retransmittedBytes += Int64(first.bytes.count)
        removeFirst()
        continue
      }
      var gap: Int64 = 0
      if first.offset > next {
        let waited = now &- first.time
        let hopeless =
          flush || waited > Self.patience || heldBytes > Self.heldByteLimit || held.count > Self.heldSegmentLimit
          || (acknowledged > next && waited > Self.acknowledgedPatience)
        guard hopeless else { return nil }
        gap = first.offset - next
        gaps += 1
        missingBytes += gap
        advance(to: first.offset)
      }
      removeFirst()
      let skip = Int(next - first.offset)
      retransmittedBytes += Int64(skip)
      let chunk = TCPChunk(offset: next, frame: first.frame, time: first.time, gap: gap)
      advance(to: first.end)
      noteEnd()
      return (chunk, skip == 0 ? first.bytes : Array(first.bytes[skip...]))
    }
    return nil
  }

  public var hasHeldBytes: Bool { !held.isEmpty }

  private mutating func begin(at sequence: UInt32, fromStart: Bool) {
    started = true
    sawStart = fromStart
    initialSequence = sequence
    nextSequence = sequence
    next = 0
  }

  private mutating func advance(to offset: Int64) {
    nextSequence = nextSequence &+ UInt32(truncatingIfNeeded: offset - next)
    next = offset
  }

  private mutating func noteEnd() {
    if end == nil, let finOffset, finOffset <= next { end = .fin }
  }

  private mutating func hold(_ frame: RawSpan, _ range: Range<Int>, at offset: Int64, number: Int, time: Int64) {
    outOfOrderSegments += 1
    var low = held.count
    while low > 0, held[low - 1].offset > offset { low -= 1 }
    if low > 0, held[low - 1].offset == offset, held[low - 1].bytes.count >= range.count {
      retransmittedBytes += Int64(range.count)
      return
    }
    let piece = frame.extracting(range)
    let bytes = [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
      piece.withUnsafeBytes { UnsafeMutableRawBufferPointer(buffer).copyMemory(from: $0) }
      count = range.count
    }
    held.insert(Held(offset: offset, bytes: bytes, frame: number, time: time), at: low)
    heldBytes += range.count
  }

  private mutating func removeFirst() {
    heldBytes -= held[0].bytes.count
    held.removeFirst()
  }
}
