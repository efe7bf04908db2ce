import RigWire

/// Whether the checksums of one direction of a flow mean anything, learnt from its packets.
///
/// Captures at a sender, or of a host whose card computes checksums, hold fields that are not filled in yet, each system in
/// its own way. So a wrong checksum counts only where right ones came before it.
struct ChecksumTrust: Sendable {
  private var right: UInt8 = 0
  private var wrong: UInt8 = 0

  private static let enough: UInt8 = 4
  private static let tries: UInt8 = 16

  /// Whether the receiver will have dropped the packet.
  @inline(__always)
  mutating func refuses(_ packet: NetworkPacket, in frame: RawSpan) -> Bool {
    // Nothing right among the first: not worth a look any more.
    if wrong >= Self.tries { return false }
    switch TransportChecksum(packet, in: frame) {
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
