import RigBytes
import RigChecks
import RigModel
import RigWire

enum TCPTargets {
  /// Segments of one stream, three bytes each (offset, length, flags), then the stream. Whatever is lost, doubled, out of
  /// order or acknowledged, the bytes that come out are the stream's own, each once, with every hole told.
  static func order(_ input: UnsafeRawBufferPointer) throws {
    var input = FuzzInput(input)
    let first = UInt32(input.u16()) << 16
    let count = Int(input.u8())
    let segments = (0..<count).map { _ in (offset: Int(input.u8()), length: Int(input.u8()), flags: input.u8()) }
    let stream = input.rest()
    var direction = TCPDirection()
    var expected: Int64?
    var time: Int64 = 0
    func deliver(_ chunk: TCPChunk, _ bytes: ArraySlice<UInt8>, origin: Int64) throws {
      try require(!bytes.isEmpty, "an empty chunk")
      try require(chunk.offset == (expected ?? 0) + chunk.gap, "\(chunk) after byte \(expected ?? 0)")
      let from = Int(chunk.offset + origin)
      try require(
        from >= 0 && from + bytes.count <= stream.count && stream[from..<from + bytes.count].elementsEqual(bytes),
        "\(chunk): not the stream's bytes")
      expected = chunk.offset + Int64(bytes.count)
    }
    var origin: Int64?
    for (number, segment) in segments.enumerated() {
      let start = min(segment.offset, stream.count)
      let body = Array(stream[start..<min(stream.count, start + segment.length)])
      var packet = NetworkPacket()
      packet.kind = .tcp
      packet.payload = 0..<body.count
      packet.tcp.sequence = first &+ UInt32(start)
      packet.tcp.flags = segment.flags & 1 != 0 ? [.ack, .fin] : [.ack]
      if segment.flags & 2 != 0 { direction.peerAcknowledged(first &+ UInt32(segment.length), time: time) }
      if segment.flags & 8 != 0 {
        direction.peerAcknowledged(
          first, parts: [(first &+ UInt32(start), first &+ UInt32(start + segment.length))], time: time)
      }
      if segment.flags & 4 != 0 { time += 1_000_000_000 }
      if origin == nil, !body.isEmpty || segment.flags & 1 != 0 { origin = Int64(start) }
      if let (chunk, range) = direction.accept(packet, in: body.span.bytes, number: number, time: time) {
        try deliver(chunk, body[range], origin: origin ?? 0)
      }
      while let (chunk, bytes) = direction.release(now: time) { try deliver(chunk, bytes[...], origin: origin ?? 0) }
    }
    while let (chunk, bytes) = direction.release(now: time, flush: true) {
      try deliver(chunk, bytes[...], origin: origin ?? 0)
    }
    try require(!direction.hasHeldBytes, "bytes were kept back at the end")
  }

  /// A conversation through the whole analysis: pieces after four bytes (flags, place, length).
  ///
  /// Flags: 1 from the server, 2 SYN, 4 FIN, 8 RST, 16 bytes are missing before, 32 sent again, 64 five seconds later,
  /// 128 UDP between the ports that `place` picks.
  ///
  /// In a dialogue that is seen from its start, without holes, nothing depends on how TCP cuts the stream.
  static func dialogue(_ input: UnsafeRawBufferPointer) throws {
    var input = FuzzInput(input)
    var pieces: [Piece] = []
    while !input.isAtEnd {
      pieces.append(Piece(flags: input.u8(), place: Int(input.u8()), body: input.take(input.u16())))
    }
    var analyzer = analyze(pieces)
    let whole = try CaptureTargets.check(&analyzer)
    // In the middle of a dialogue, RTSP is looked for at the start of segments: there the cuts count.
    let tcp = pieces.filter { !$0.isUDP }
    let isWhole = (0..<2).allSatisfy { side in
      let flags = tcp.map(\.flags).filter { $0 & 1 == side }
      return flags.first.map { $0 & 58 == 2 } ?? true && flags.dropFirst().allSatisfy { $0 & 58 == 0 }
    }
    guard isWhole else { return }
    var other = analyze(pieces.flatMap(\.halves))
    let cut = try CaptureTargets.check(&other)
    try requireSame(cut.streams.map(Counts.init), whole.streams.map(Counts.init), "in halves the streams are others")
    func text(_ result: AnalysisResult) -> [String] {
      result.findings.map { "\($0.check) \($0.severity) ×\($0.count)" }
    }
    try requireSame(text(cut).sorted(), text(whole).sorted(), "in halves the findings are others")
    try require(cut.dialogues == whole.dialogues && cut.tracks == whole.tracks, "in halves the sessions are others")
  }

  private struct Piece {
    var flags: UInt8
    var place: Int
    var body: [UInt8]
    var isUDP: Bool { flags & 128 != 0 }

    /// Two segments of the same moment; short ones stay whole, since RTSP is recognised by its first bytes.
    var halves: [Piece] {
      guard !isUDP, body.count > 40 else { return [self] }
      let first = Piece(flags: flags & ~4, place: place, body: Array(body[..<(body.count / 2)]))
      return [first, Piece(flags: flags & ~66 | 16, place: 0, body: Array(body[(body.count / 2)...]))]
    }
  }

  private struct Counts: Equatable {
    var ssrc: UInt32
    var packets: Int64
    var lost: Int
    var duplicates: Int
    var frames: Int64
    var keyFrames: Int64

    init(_ stream: StreamStatistics) {
      ssrc = stream.ssrc
      packets = stream.packets
      lost = stream.lost
      duplicates = stream.duplicates
      frames = stream.frames
      keyFrames = stream.keyFrames
    }
  }

  private static func analyze(_ pieces: [Piece]) -> CaptureAnalyzer {
    var analyzer = CaptureAnalyzer(AnalysisContext(captureDropped: 0))
    var time: Int64 = 1_700_000_000_000_000_000
    var next: [UInt32] = [0xFFFF_FF00, 1000]
    for (number, piece) in pieces.enumerated() {
      let (flags, body) = (piece.flags, piece.body)
      let side = Int(flags & 1)
      var frame = ByteWriter(reserving: 40 + body.count)
      writeIP(to: &frame, protocol: piece.isUDP ? 17 : 6, length: body.count + (piece.isUDP ? 8 : 20), side: side)
      let ports = piece.isUDP ? [5000 + UInt16(piece.place & 7), 6000 + UInt16(piece.place & 7)] : [40_000, 554]
      frame.u16(ports[side])
      frame.u16(ports[1 - side])
      if piece.isUDP {
        frame.u16(UInt16(truncatingIfNeeded: body.count + 8))
        frame.u16(0)
      } else {
        if flags & 16 != 0 { next[side] &+= UInt32(piece.place) }
        let sequence = next[side] &- (flags & 32 != 0 ? UInt32(piece.place) : 0)
        frame.u32(sequence)
        frame.u32(next[1 - side])
        frame.u8(0x50)
        frame.u8(0x10 | (flags & 2) | (flags & 4) >> 2 | (flags & 8) >> 1)
        frame.zeros(6)
        if flags & 32 == 0 { next[side] = sequence &+ UInt32(body.count) &+ (flags & 6 != 0 ? 1 : 0) }
      }
      frame.append(body)
      // The second half of a piece comes in the same moment.
      if flags & 16 == 0 || piece.place > 0 { time += flags & 64 != 0 ? 5_000_000_000 : 10_000_000 }
      analyzer.see(frame: frame.bytes.span.bytes, number: number + 1, time: time, link: .raw)
    }
    return analyzer
  }

  private static func writeIP(to frame: inout ByteWriter, protocol number: UInt8, length: Int, side: Int) {
    frame.u16(0x4500)
    frame.u16(UInt16(truncatingIfNeeded: 20 + length))
    frame.u32(0x0001_0000)
    frame.u8(64)
    frame.u8(number)
    frame.u16(0)
    frame.u32(side == 1 ? 0x0A00_0001 : 0x0A00_0002)
    frame.u32(side == 1 ? 0x0A00_0002 : 0x0A00_0001)
  }
}
