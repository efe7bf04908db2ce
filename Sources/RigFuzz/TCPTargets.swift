import RigBytes
import RigChecks
import RigWire

enum TCPTargets {
  /// Segments of one stream, three bytes each (offset, length, flags), then the stream. Whatever is lost, doubled or
  /// out of order, the bytes that come out are the stream's own, each once, with every hole told.
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
      if segment.flags & 2 != 0 { direction.peerAcknowledged(first &+ UInt32(segment.length)) }
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
  static func dialogue(_ input: UnsafeRawBufferPointer) throws {
    var input = FuzzInput(input)
    var analyzer = CaptureAnalyzer(AnalysisContext(captureDropped: 0))
    var number = 0
    var time: Int64 = 1_700_000_000_000_000_000
    var next: [UInt32] = [0xFFFF_FF00, 1000]
    while !input.isAtEnd {
      let flags = input.u8()
      let place = Int(input.u8())
      let body = input.take(input.u16())
      let side = Int(flags & 1)
      var frame = ByteWriter(reserving: 40 + body.count)
      let isUDP = flags & 128 != 0
      writeIP(to: &frame, protocol: isUDP ? 17 : 6, length: body.count + (isUDP ? 8 : 20), fromServer: side == 1)
      let ports = isUDP ? [5000 + UInt16(place & 7), 6000 + UInt16(place & 7)] : [40_000, 554]
      frame.u16(ports[side])
      frame.u16(ports[1 - side])
      if isUDP {
        frame.u16(UInt16(truncatingIfNeeded: body.count + 8))
        frame.u16(0)
      } else {
        if flags & 16 != 0 { next[side] &+= UInt32(place) }
        let sequence = next[side] &- (flags & 32 != 0 ? UInt32(place) : 0)
        frame.u32(sequence)
        frame.u32(next[1 - side])
        frame.u8(0x50)
        frame.u8(0x10 | (flags & 2) | (flags & 4) >> 2 | (flags & 8) >> 1)
        frame.zeros(6)
        if flags & 32 == 0 { next[side] = sequence &+ UInt32(body.count) &+ (flags & 6 != 0 ? 1 : 0) }
      }
      frame.append(body)
      number += 1
      time += flags & 64 != 0 ? 5_000_000_000 : 10_000_000
      analyzer.see(frame: frame.bytes.span.bytes, number: number, time: time, link: .raw)
    }
    try CaptureTargets.check(&analyzer)
  }

  private static func writeIP(to frame: inout ByteWriter, protocol number: UInt8, length: Int, fromServer: Bool) {
    frame.u16(0x4500)
    frame.u16(UInt16(truncatingIfNeeded: 20 + length))
    frame.u32(0x0001_0000)
    frame.u8(64)
    frame.u8(number)
    frame.u16(0)
    frame.u32(fromServer ? 0x0A00_0001 : 0x0A00_0002)
    frame.u32(fromServer ? 0x0A00_0002 : 0x0A00_0001)
  }
}
