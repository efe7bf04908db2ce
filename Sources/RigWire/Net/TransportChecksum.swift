/// What a checksum says of its packet: of UDP and TCP (RFC 768, RFC 9293 3.1, RFC 1071), or of an IPv4 header.
public enum TransportChecksum: Hashable, Sendable {
  case right
  /// A receiver drops the packet.
  case wrong
  /// There is none, or it cannot be told: the packet was cut, or is a fragment.
  case absent
  /// Left to the card: the field holds the sum of the pseudo header alone, as in captures at the sender or on loopback.
  case unfinished

  /// Judges the packet that was dissected from `frame`.
  public init(_ packet: NetworkPacket, in frame: RawSpan) {
    let field: Int
    switch packet.kind {
    case .udp: field = packet.transport + 6
    case .tcp: field = packet.transport + 16
    case .fragment, .other:
      self = .absent
      return
    }
    let range = packet.transport..<packet.payload.upperBound
    guard packet.missing == 0, range.upperBound <= frame.byteCount, field + 2 <= range.upperBound else {
      self = .absent
      return
    }
    let stated = frame.net16(field)
    guard stated != 0 else {
      self = .absent
      return
    }
    let ends = Self.sum(packet.flow.source.address) + Self.sum(packet.flow.destination.address)
    let pseudo = ends + UInt64(packet.protocolNumber)
    // Where the card cuts the segments, some leave the length to it too.
    if stated == Self.fold(pseudo + UInt64(range.count)) || stated == Self.fold(pseudo) {
      self = .unfinished
      return
    }
    let all = Self.fold(pseudo + UInt64(range.count) + Self.sum(frame.extracting(range)))
    self = all == 0xffff ? .right : .wrong
  }

  /// Of an IPv4 header of `count` bytes that is all there; 0 stands for a checksum that was left to the card.
  @inline(__always)
  init(ipv4Header frame: RawSpan, at offset: Int, count: Int) {
    guard frame.net16(offset + 10) != 0 else {
      self = .absent
      return
    }
    var total: UInt64 = 0
    for word in 0..<(count / 4) { total &+= UInt64(frame.net32(offset + word * 4)) }
    self = Self.fold(total) == 0xffff ? .right : .wrong
  }

  private static func sum(_ address: IPAddress) -> UInt64 {
    (address.high >> 32) + (address.high & 0xffff_ffff) + (address.low >> 32) + (address.low & 0xffff_ffff)
  }

  /// The sum of the bytes as 16-bit words, folded.
  ///
  /// It is taken 16 bytes at a time, in the machine's byte order: the sum in the other order is the same with its bytes
  /// swapped (RFC 1071 2). 65,535 bytes are too few for any lane to overflow.
  private static func sum(_ bytes: RawSpan) -> UInt64 {
    bytes.withUnsafeBytes { raw in
      var lanes = SIMD4<UInt64>()
      var at = 0
      while at &+ 16 <= raw.count {
        lanes &+= SIMD4<UInt64>(truncatingIfNeeded: raw.loadUnaligned(fromByteOffset: at, as: SIMD4<UInt32>.self))
        at &+= 16
      }
      var total = lanes.wrappedSum()
      while at &+ 2 <= raw.count {
        total &+= UInt64(raw.loadUnaligned(fromByteOffset: at, as: UInt16.self))
        at &+= 2
      }
      if at < raw.count { total &+= UInt64(UInt16(bigEndian: UInt16(raw[at]) << 8)) }
      return UInt64(UInt16(bigEndian: fold(total)))
    }
  }

  /// The one's complement sum in 16 bits.
  private static func fold(_ sum: UInt64) -> UInt16 {
    var sum = sum
    while sum >> 16 != 0 { sum = (sum & 0xffff) &+ (sum >> 16) }
    return UInt16(truncatingIfNeeded: sum)
  }
}
