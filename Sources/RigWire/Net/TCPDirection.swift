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
/// come too early. Retransmitted and overlapping bytes are dropped, the first copy wins.
///
/// Bytes that the peer acknowledged, by number or by SACK (RFC 2018), and that are not here, are missing in the capture:
/// they are reported as `gap`. A hole that the peer never acknowledged was never filled for it either, so that its
/// program got nothing of what lies behind: that waits for a retransmission, and is dropped at the end.
///
/// A hole is taken to be the capture's after three seconds without any acknowledgement in the capture, and when too much
/// waits behind it. Where the peer was heard before the hole, the sender must also have gone on with new bytes for so
/// long: one that gets no acknowledgement stops, and sends the first bytes again (RFC 6298 5). So there were some, and
/// the capture lacks them too.
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
  private var receipts = TCPReceipts()
  /// Capture time of the peer's latest acknowledgement, and of the latest held segment with bytes beyond all others.
  private var heard: Int64?
  private var newest: Int64 = 0
  /// Missing bytes that no chunk has told of yet.
  private var pendingGap: Int64 = 0
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
  /// Bytes that the capture lacks, and the number of such holes.
  public private(set) var missingBytes: Int64 = 0
  public private(set) var gaps = 0
  /// Bytes that came, behind a hole that was never filled: the peer's program did not get them. Known at the end.
  public private(set) var undeliveredBytes: Int64 = 0

  /// Stream offset up to which the peer acknowledged; -1 before it did.
  public var acknowledged: Int64 { receipts.end }
  /// This side sent its FIN, or a reset, even if bytes before are still missing.
  public var hasClosed: Bool { finOffset != nil || wasReset }

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
      receipts.cut(at: next)
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
      let chunk = TCPChunk(offset: next, frame: number, time: time, gap: takeGap())
      advance(to: stop)
      return (chunk, packet.payload.lowerBound + skip..<packet.payload.upperBound)
    }
    hold(frame, packet.payload, at: offset, number: number, time: time)
    return nil
  }

  /// What the other side acknowledged: bytes it has were sent, whether captured or not.
  /// - Parameters:
  ///   - parts: what it has beyond, by its SACK option: sequence numbers of the first byte and behind the last.
  ///   - time: of the segment, ns since 1970.
  public mutating func peerAcknowledged(
    _ acknowledgment: UInt32, parts: [(from: UInt32, to: UInt32)] = [], time: Int64
  ) {
    heard = time
    if let end = offset(of: acknowledgment) { receipts.take(upTo: end) }
    for part in parts {
      guard let from = offset(of: part.from), let to = offset(of: part.to), from < to else { continue }
      receipts.take(part: from..<to)
    }
  }

  /// The place of a sequence number in the stream; `nil` before any segment, or where it is far from all that came.
  public func offset(of sequence: UInt32) -> Int64? {
    let distance = Int64(Int32(bitPattern: sequence &- nextSequence))
    return started && abs(distance) <= Self.strayDistance ? next + distance : nil
  }

  /// Yields held bytes that are in order now, or behind a hole that is given up. Call until `nil` after each segment,
  /// and with `flush` at the end of the connection or the capture.
  public mutating func release(now: Int64, flush: Bool = false) -> (chunk: TCPChunk, bytes: [UInt8])? {
    while let first = held.first {
      if first.end <= next {
        retransmittedBytes += Int64(first.bytes.count)
        removeFirst()
        continue
      }
      if first.offset > next, !giveUpHole(before: first, now: now, flush: flush) { break }
      removeFirst()
      let skip = Int(next - first.offset)
      retransmittedBytes += Int64(skip)
      let chunk = TCPChunk(offset: next, frame: first.frame, time: first.time, gap: takeGap())
      advance(to: first.end)
      noteEnd()
      return (chunk, skip == 0 ? first.bytes : Array(first.bytes[skip...]))
    }
    if flush { settle() }
    return nil
  }

  /// Whether the hole before a held segment is behind us now.
  private mutating func giveUpHole(before first: Held, now: Int64, flush: Bool) -> Bool {
    let waited = now &- first.time
    if flush || waited > Self.acknowledgedPatience { miss(upTo: min(receipts.run(from: next), first.offset)) }
    if next >= first.offset { return true }
    let isUnheard =
      receipts.end < 0
      ? flush || waited > Self.patience
      : newest &- first.time > Self.patience && heard.map { $0 < first.time } ?? true
    guard isUnheard || heldBytes > Self.heldByteLimit || held.count > Self.heldSegmentLimit else { return false }
    miss(upTo: first.offset)
    return true
  }

  /// The bytes up to `offset` are missing in the capture.
  private mutating func miss(upTo offset: Int64) {
    guard offset > next else { return }
    if pendingGap == 0 { gaps += 1 }
    pendingGap += offset - next
    missingBytes += offset - next
    advance(to: offset)
  }

  private mutating func takeGap() -> Int64 {
    defer { pendingGap = 0 }
    return pendingGap
  }

  /// Nothing more comes: counts what the peer has and the capture lacks, and drops what the peer's program never got.
  private mutating func settle() {
    var from = next
    var lacking: Int64 = 0
    for piece in held {
      if piece.offset > from { lacking += receipts.count(in: from..<piece.offset) }
      from = max(from, piece.end)
      undeliveredBytes += Int64(piece.bytes.count)
    }
    held = []
    heldBytes = 0
    // A FIN has a number of its own, which is no byte.
    var tail = receipts.count(in: from..<max(from, finOffset ?? .max))
    if finOffset == nil, tail == 1 { tail = 0 }
    lacking += tail
    guard lacking > 0 else { return }
    let before = missingBytes
    miss(upTo: min(receipts.end, finOffset ?? .max))
    if missingBytes == before { gaps += 1 }
    missingBytes = before + lacking
    // Told once.
    receipts.cut(at: next)
    noteEnd()
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
    if low == held.count { newest = time }
    held.insert(Held(offset: offset, bytes: bytes, frame: number, time: time), at: low)
    heldBytes += range.count
  }

  private mutating func removeFirst() {
    heldBytes -= held[0].bytes.count
    held.removeFirst()
  }
}
