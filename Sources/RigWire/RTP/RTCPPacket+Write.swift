import RigBytes

extension RTCPPacket {
  /// The packet as it goes on the wire, padded to whole words. Lists beyond 31 entries and texts beyond 255 bytes
  /// are cut.
  public var bytes: [UInt8] {
    var body = ByteWriter()
    let count: UInt8
    switch self {
    case .senderReport(let report):
      body.u32(report.ssrc)
      body.u64(report.ntp.raw)
      body.u32(report.rtpTime)
      body.u32(report.packetCount)
      body.u32(report.octetCount)
      count = Self.append(report.reports, to: &body)
    case .receiverReport(let report):
      body.u32(report.ssrc)
      count = Self.append(report.reports, to: &body)
    case .sourceDescription(let chunks):
      count = UInt8(min(chunks.count, 31))
      for chunk in chunks.prefix(31) { Self.append(chunk, to: &body) }
    case .bye(let ssrcs, let reason):
      count = UInt8(min(ssrcs.count, 31))
      for ssrc in ssrcs.prefix(31) { body.u32(ssrc) }
      if let reason { Self.append(text: reason, to: &body) }
    case .app(let subtype, let ssrc, let name, let data):
      count = subtype & 31
      body.u32(ssrc)
      let letters = [UInt8](name.utf8.prefix(4))
      body.append(letters)
      body.zeros(4 - letters.count)
      body.append(data)
    case .unknown(_, let field, let data):
      count = field & 31
      body.append(data)
    }
    body.zeros((4 - body.count % 4) % 4)
    var out = ByteWriter(reserving: body.count + 4)
    out.u8(0x80 | count)
    out.u8(type)
    out.u16(UInt16(truncatingIfNeeded: body.count / 4))
    out.append(body.bytes)
    return out.bytes
  }

  /// A compound: the packets one after the other.
  public static func compound(_ packets: [RTCPPacket]) -> [UInt8] { packets.flatMap(\.bytes) }

  private static func append(_ reports: [ReportBlock], to body: inout ByteWriter) -> UInt8 {
    for report in reports.prefix(31) {
      body.u32(report.ssrc)
      body.u8(report.fractionLost)
      body.u24(UInt32(bitPattern: max(-0x80_0000, min(0x7F_FFFF, report.cumulativeLost))))
      body.u32(report.highestSequence)
      body.u32(report.jitter)
      body.u32(report.lastSR)
      body.u32(report.delaySinceLastSR)
    }
    return UInt8(min(reports.count, 31))
  }

  private static func append(_ chunk: Chunk, to body: inout ByteWriter) {
    body.u32(chunk.ssrc)
    for item in chunk.items where item.type != 0 {
      body.u8(item.type)
      append(text: item.text, to: &body)
    }
    body.zeros(4 - body.count % 4)
  }

  private static func append(text: String, to body: inout ByteWriter) {
    let bytes = [UInt8](text.utf8.prefix(255))
    body.u8(UInt8(bytes.count))
    body.append(bytes)
  }
}
