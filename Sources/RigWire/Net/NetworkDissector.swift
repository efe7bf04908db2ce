/// Link layer → IP → UDP or TCP, one frame at a time, without state.
///
/// Checksums are not looked at and segments may exceed any MTU: captures on loopback, or of a card that offloads
/// segmentation, hold both.
public enum NetworkDissector {
  /// Dissects `frame`, the captured bytes of one packet. Anything unreadable is `.other`.
  public static func dissect(_ frame: RawSpan, link: LinkType) -> NetworkPacket {
    let count = frame.byteCount
    switch link {
    case .ethernet:
      var offset = 12
      guard count >= 14 else { return NetworkPacket() }
      var type = frame.net16(offset)
      // IEEE 802.1Q and 802.1ad tags, at most four.
      var tags = 0
      while type == 0x8100 || type == 0x88a8 || type == 0x9100 {
        offset += 4
        tags += 1
        guard tags <= 4, count >= offset + 2 else { return NetworkPacket() }
        type = frame.net16(offset)
      }
      return dissect(frame, etherType: type, at: offset + 2)
    case .linuxSLL:
      guard count >= 16 else { return NetworkPacket() }
      return dissect(frame, etherType: frame.net16(14), at: 16)
    case .linuxSLL2:
      guard count >= 20 else { return NetworkPacket() }
      return dissect(frame, etherType: frame.net16(0), at: 20)
    case .null, .loop:
      // The address family numbers differ by system and byte order; the IP version nibble does not.
      return dissectIP(frame, at: 4)
    case .rawBSD, .raw, .ipv4, .ipv6:
      return dissectIP(frame, at: 0)
    default:
      return NetworkPacket()
    }
  }

  @inline(__always)
  private static func dissect(_ frame: RawSpan, etherType: UInt16, at offset: Int) -> NetworkPacket {
    switch etherType {
    case 0x0800: dissectIPv4(frame, at: offset)
    case 0x86dd: dissectIPv6(frame, at: offset)
    default: NetworkPacket()
    }
  }

  private static func dissectIP(_ frame: RawSpan, at offset: Int) -> NetworkPacket {
    guard frame.byteCount > offset else { return NetworkPacket() }
    switch frame.net8(offset) >> 4 {
    case 4: return dissectIPv4(frame, at: offset)
    case 6: return dissectIPv6(frame, at: offset)
    default: return NetworkPacket()
    }
  }

  /// RFC 791 3.1.
  private static func dissectIPv4(_ frame: RawSpan, at offset: Int) -> NetworkPacket {
    var packet = NetworkPacket()
    let count = frame.byteCount
    guard count >= offset + 20, frame.net8(offset) >> 4 == 4 else { return packet }
    let header = Int(frame.net8(offset) & 15) * 4
    guard header >= 20, count >= offset + header else { return packet }
    // A total length of 0 stands for "more than 65535" where the card or kernel cuts the segments later.
    let total = Int(frame.net16(offset + 2))
    let end = total == 0 ? count : offset + total
    guard end >= offset + header else { return packet }
    packet.flow.source.address = IPAddress(ipv4: frame.net32(offset + 12))
    packet.flow.destination.address = IPAddress(ipv4: frame.net32(offset + 16))
    packet.protocolNumber = frame.net8(offset + 9)
    packet.headerChecksum = TransportChecksum(ipv4Header: frame, at: offset, count: header)
    let fragmentation = frame.net16(offset + 6)
    if fragmentation & 0x3fff != 0 {
      packet.kind = .fragment
      packet.fragment.identification = UInt32(frame.net16(offset + 4))
      packet.fragment.offset = Int(fragmentation & 0x1fff) * 8
      packet.fragment.more = fragmentation & 0x2000 != 0
      packet.payload = offset + header..<min(end, count)
      packet.missing = max(0, end - count)
      return packet
    }
    dissectTransport(frame, from: offset + header, to: end, into: &packet)
    return packet
  }

  /// RFC 8200 3 and 4.
  private static func dissectIPv6(_ frame: RawSpan, at offset: Int) -> NetworkPacket {
    var packet = NetworkPacket()
    let count = frame.byteCount
    guard count >= offset + 40, frame.net8(offset) >> 4 == 6 else { return packet }
    packet.flow.source.address = IPAddress(high: frame.net64(offset + 8), low: frame.net64(offset + 16))
    packet.flow.destination.address = IPAddress(high: frame.net64(offset + 24), low: frame.net64(offset + 32))
    let length = Int(frame.net16(offset + 4))
    let end = length == 0 ? count : offset + 40 + length
    var next = frame.net8(offset + 6)
    var at = offset + 40
    for _ in 0..<8 {
      switch next {
      case 0, 43, 60, 135, 139, 140:
        guard count >= at + 8 else { return packet }
        next = frame.net8(at)
        at += 8 + Int(frame.net8(at + 1)) * 8
      case 51:
        guard count >= at + 8 else { return packet }
        next = frame.net8(at)
        at += 8 + Int(frame.net8(at + 1)) * 4
      case 44:
        guard count >= at + 8 else { return packet }
        let field = frame.net16(at + 2)
        next = frame.net8(at)
        // An "atomic fragment" (RFC 6946) is a whole datagram.
        if field & 0xfff9 != 0 {
          guard at + 8 <= end else { return packet }
          packet.kind = .fragment
          packet.protocolNumber = next
          packet.fragment.identification = frame.net32(at + 4)
          packet.fragment.offset = Int(field & 0xfff8)
          packet.fragment.more = field & 1 != 0
          packet.payload = at + 8..<max(at + 8, min(end, count))
          packet.missing = max(0, end - count)
          return packet
        }
        at += 8
      default:
        packet.protocolNumber = next
        dissectTransport(frame, from: at, to: end, into: &packet)
        return packet
      }
    }
    return packet
  }

  /// Reads the UDP or TCP header at `start`; `end` is where the IP header says the packet ends.
  @inline(__always)
  static func dissectTransport(_ frame: RawSpan, from start: Int, to end: Int, into packet: inout NetworkPacket) {
    let count = frame.byteCount
    packet.transport = start
    switch packet.protocolNumber {
    case 17:
      guard count >= start + 8, end >= start + 8 else { return }
      let length = Int(frame.net16(start + 4))
      let stop = length == 0 ? end : min(end, start + length)
      guard stop >= start + 8 else { return }
      packet.payload = start + 8..<max(start + 8, min(stop, count))
      packet.missing = max(0, stop - count)
      packet.kind = .udp
    case 6:
      guard count >= start + 20 else { return }
      let header = Int(frame.net8(start + 12) >> 4) * 4
      guard header >= 20, end >= start + header else { return }
      packet.payload = min(start + header, count)..<max(min(start + header, count), min(end, count))
      packet.missing = max(0, end - max(count, start + header))
      packet.tcp.sequence = frame.net32(start + 4)
      packet.tcp.acknowledgment = frame.net32(start + 8)
      packet.tcp.flags = TCPFlags(rawValue: frame.net8(start + 13))
      packet.kind = .tcp
    default:
      return
    }
    packet.flow.source.port = frame.net16(start)
    packet.flow.destination.port = frame.net16(start + 2)
  }
}
