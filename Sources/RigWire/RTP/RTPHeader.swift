import RigBytes

/// Why bytes are no RTP packet.
public enum RTPHeaderError: Error, Hashable, Sendable {
  /// Fewer than 12 bytes.
  case tooShort(Int)
  /// A version other than 2.
  case version(UInt8)
}

/// The header of an RTP packet (RFC 3550 5.1), without the bytes: payload and extension are ranges of what was parsed.
///
/// ```
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// |V=2|P|X|  CC   |M|     PT      |       sequence number         |
/// |                           timestamp                           |
/// |           synchronization source (SSRC) identifier            |
/// |            contributing source (CSRC) identifiers …           |
/// ```
public struct RTPHeader: Hashable, Sendable {
  /// What is wrong in a header that otherwise reads.
  public enum Flaw: Hashable, Sendable {
    /// CC names more sources than fit; the payload is taken to be empty.
    case csrcOverrun
    /// The extension (5.3.1) goes beyond the packet; the payload is taken to be empty.
    case extensionOverrun
    /// P is set and the last byte is 0 or exceeds the payload; nothing was taken off.
    case padding(UInt8)
  }

  public var hasPadding: Bool
  public var hasExtension: Bool
  public var marker: Bool
  public var payloadType: UInt8
  public var csrcCount: UInt8
  public var sequence: UInt16
  /// In units of the payload's clock.
  public var timestamp: UInt32
  public var ssrc: UInt32
  /// The `defined by profile` field of the extension; 0 without one.
  public var extensionProfile: UInt16
  /// Byte offsets of the extension's data, without its 4-byte head.
  public var extensionRange: Range<Int>
  /// Byte offsets of the payload, padding taken off.
  public var payload: Range<Int>
  public var flaw: Flaw?

  /// Parses a whole packet.
  public init(parsing packet: RawSpan) throws(RTPHeaderError) {
    let count = packet.byteCount
    guard count >= 12, let word = packet.u32(at: 0), let time = packet.u32(at: 4), let source = packet.u32(at: 8) else {
      throw .tooShort(count)
    }
    guard word >> 30 == 2 else { throw .version(UInt8(truncatingIfNeeded: word >> 30)) }
    hasPadding = word & 0x2000_0000 != 0
    hasExtension = word & 0x1000_0000 != 0
    csrcCount = UInt8(truncatingIfNeeded: word >> 24) & 15
    marker = word & 0x80_0000 != 0
    payloadType = UInt8(truncatingIfNeeded: word >> 16) & 127
    sequence = UInt16(truncatingIfNeeded: word)
    timestamp = time
    ssrc = source
    extensionProfile = 0
    extensionRange = 12..<12
    payload = 12..<count
    flaw = nil
    if word & 0x3F00_0000 != 0 { parseVariableParts(packet) }
  }

  public init(parsing packet: [UInt8]) throws(RTPHeaderError) { try self.init(parsing: packet.span.bytes) }

  private mutating func parseVariableParts(_ packet: RawSpan) {
    let count = packet.byteCount
    var start = 12 + 4 * Int(csrcCount)
    guard start <= count else {
      flaw = .csrcOverrun
      payload = count..<count
      return
    }
    if hasExtension {
      guard let profile = packet.u16(at: start), let words = packet.u16(at: start + 2),
        start + 4 + 4 * Int(words) <= count
      else {
        flaw = .extensionOverrun
        payload = count..<count
        return
      }
      extensionProfile = profile
      extensionRange = (start + 4)..<(start + 4 + 4 * Int(words))
      start = extensionRange.upperBound
    }
    payload = start..<count
    if hasPadding, let padding = packet.u8(at: count - 1) {
      if padding == 0 || Int(padding) > count - start {
        flaw = .padding(padding)
      } else {
        payload = start..<(count - Int(padding))
      }
    }
  }

  /// The contributing sources of the packet that this header was parsed from.
  public func csrcs(in packet: RawSpan) -> [UInt32] {
    (0..<Int(csrcCount)).compactMap { packet.u32(at: 12 + 4 * $0) }
  }

  /// A header to be written: no padding, extension or contributing sources.
  public init(payloadType: UInt8, marker: Bool = false, sequence: UInt16, timestamp: UInt32, ssrc: UInt32) {
    hasPadding = false
    hasExtension = false
    csrcCount = 0
    self.marker = marker
    self.payloadType = payloadType & 127
    self.sequence = sequence
    self.timestamp = timestamp
    self.ssrc = ssrc
    extensionProfile = 0
    extensionRange = 12..<12
    payload = 12..<12
  }

  /// The packet with this header's first 12 bytes and `payload`; the P, X and CC fields are written as 0.
  public func packet(_ payload: some Collection<UInt8>) -> [UInt8] {
    var out = ByteWriter(reserving: 12 + payload.count)
    out.u8(0x80)
    out.u8(marker ? payloadType | 0x80 : payloadType)
    out.u16(sequence)
    out.u32(timestamp)
    out.u32(ssrc)
    out.append(payload)
    return out.bytes
  }

  /// Whether a packet on a shared port or channel is RTCP: types 192–223 in the second byte (RFC 5761 4).
  public static func isRTCP(_ packet: RawSpan) -> Bool {
    guard let first = packet.u8(at: 0), let second = packet.u8(at: 1) else { return false }
    return first >> 6 == 2 && second >= 192 && second <= 223
  }
}
