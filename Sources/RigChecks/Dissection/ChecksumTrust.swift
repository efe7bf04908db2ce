import RigWire

/// Whether the checksums of one direction of a flow, or of IPv4 headers, mean anything, learnt from packets.
///
/// Captures at a sender, or of a host whose card computes checksums, hold fields that are not filled in yet, each system in
/// its own way. So a wrong checksum counts only where right ones came before it.
struct ChecksumTrust: Sendable {
  private var right: UInt8 = 0
  private var wrong: UInt8 = 0

  init() {}

  /// - Parameter isProven: other flows of the same host have shown that its checksums are right.
  init(isProven: Bool) { right = isProven ? Self.enough : 0 }

  var isProven: Bool { right >= Self.enough }

  private static let enough: UInt8 = 4
  private static let tries: UInt8 = 16

  /// Takes the checksum of a packet: whether the receiver will have dropped it.
  @inline(__always)
  mutating func refuses(_ packet: NetworkPacket, in frame: RawSpan) -> Bool {
    // Nothing right among the first: not worth a look any more.
    if wrong >= Self.tries { return false }
    return refuses(TransportChecksum(packet, in: frame))
  }

  @inline(__always)
  mutating func refuses(_ checksum: TransportChecksum) -> Bool {
    if wrong >= Self.tries { return false }
    switch checksum {
    case .absent: return false
    case .right:
      if right < Self.enough { right += 1 }
      return false
    case .unfinished,
      .wrong where right < Self.enough:
      wrong += 1
      return false
    case .wrong: return true
    }
  }
}
