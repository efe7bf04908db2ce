/// The classic format: a 24-byte file header, then records of 16 bytes and the captured bytes.
/// (draft-ietf-opsawg-pcap)
struct PcapHeader: Sendable {
  static let length = 24
  var little: Bool
  var nanoseconds: Bool

  /// - Parameter magic: the first four bytes, read as little-endian.
  init?(magic: UInt32) {
    switch magic {
    case 0xa1b2_c3d4: (little, nanoseconds) = (true, false)
    case 0xa1b2_3c4d: (little, nanoseconds) = (true, true)
    case 0xd4c3_b2a1: (little, nanoseconds) = (false, false)
    case 0x4d3c_b2a1: (little, nanoseconds) = (false, true)
    default: return nil
    }
  }
}

extension CaptureReader {
  mutating func beginPcap(_ header: PcapHeader) throws(CaptureError) {
    let major = Int(read16(at: 4, little: header.little))
    guard major == 2 else {
      throw CaptureError(.unsupportedVersion(major: major, minor: Int(read16(at: 6, little: header.little))), at: 0)
    }
    // The upper bits of the link type field hold the FCS length.
    let link = LinkType(rawValue: read32(at: 20, little: header.little) & 0x0fff_ffff)
    let snap = Int(read32(at: 16, little: header.little))
    interfaces = [
      CaptureInterface(
        linkType: link, snapLength: snap, unitsPerSecond: header.nanoseconds ? 1_000_000_000 : 1_000_000)
    ]
    format = .pcap(header)
    position += PcapHeader.length
  }

  mutating func nextPcapRecord(_ header: PcapHeader) throws(CaptureError) -> CapturedPacket? {
    guard available >= 16 else { return nil }
    let little = header.little
    let captured = Int(read32(at: 8, little: little))
    guard captured <= Self.recordLimit - 16 else {
      throw CaptureError(.badLength(UInt64(captured)), at: fileOffset)
    }
    guard available >= 16 + captured else { return nil }
    let seconds = Int64(read32(at: 0, little: little))
    let part = Int64(read32(at: 4, little: little))
    packetCount += 1
    let packet = CapturedPacket(
      number: packetCount, time: seconds * 1_000_000_000 + (header.nanoseconds ? part : part * 1000),
      range: position + 16..<position + 16 + captured, originalLength: Int(read32(at: 12, little: little)),
      linkType: interfaces[0].linkType, interface: 0, comment: nil, fileOffset: fileOffset)
    position += 16 + captured
    return packet
  }
}
