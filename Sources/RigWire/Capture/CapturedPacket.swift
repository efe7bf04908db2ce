/// One packet of a capture file. Its bytes lie in the reader's `buffer` until the next call that feeds the reader.
public struct CapturedPacket: Sendable {
  /// 1-based over the whole file, as Wireshark counts.
  public var number: Int
  /// Nanoseconds since 1970 UTC; 0 where the file gives none (simple packet blocks).
  public var time: Int64
  /// Where the captured bytes lie in `CaptureReader.buffer`.
  public var range: Range<Int>
  /// Length on the wire, bytes.
  public var originalLength: Int
  public var linkType: LinkType
  /// Index into `CaptureReader.interfaces`.
  public var interface: Int
  /// The first `opt_comment` of a pcapng block.
  public var comment: String?
  /// Offset of the packet's record in the file, bytes.
  public var fileOffset: Int64
}

/// An interface of a capture file; a classic pcap file has one.
public struct CaptureInterface: Hashable, Sendable {
  public var linkType: LinkType
  public var snapLength: Int
  public var name: String?
  public var description: String?
  /// Time units per second, and the offset in seconds to add to each time (`if_tsresol`, `if_tsoffset`).
  public var unitsPerSecond: UInt64
  public var timeOffset: Int64
  /// Packets received and dropped as an interface statistics block reports them.
  public var received: UInt64?
  public var dropped: UInt64?

  public init(linkType: LinkType, snapLength: Int, unitsPerSecond: UInt64) {
    self.linkType = linkType
    self.snapLength = snapLength
    self.unitsPerSecond = unitsPerSecond
    timeOffset = 0
  }

  /// A count of units since 1970, in nanoseconds; wraps rather than traps on nonsense.
  func nanoseconds(_ units: UInt64) -> Int64 {
    let shift = timeOffset &* 1_000_000_000
    if unitsPerSecond == 1_000_000_000 { return Int64(truncatingIfNeeded: units) &+ shift }
    if unitsPerSecond == 1_000_000 { return Int64(truncatingIfNeeded: units &* 1000) &+ shift }
    let (seconds, rest) = units.quotientAndRemainder(dividingBy: unitsPerSecond)
    let product = rest.multipliedFullWidth(by: 1_000_000_000)
    let part = unitsPerSecond.dividingFullWidth(product).quotient
    return Int64(truncatingIfNeeded: seconds &* 1_000_000_000 &+ part) &+ shift
  }
}

/// Why a capture file cannot be read (further). Everything yielded before stays good.
public struct CaptureError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Reason: Hashable, Sendable {
    /// The first bytes are neither pcap nor pcapng.
    case notACapture
    /// The file ends inside a record.
    case truncated
    /// A block or record length that cannot be (too small, too large, not a multiple of four, trailer differs).
    case badLength(UInt64)
    /// A packet names an interface that no block described.
    case unknownInterface(Int)
    /// A format version that this reader does not know.
    case unsupportedVersion(major: Int, minor: Int)
  }

  public var reason: Reason
  /// Offset of the record in the file, bytes.
  public var offset: Int64

  public init(_ reason: Reason, at offset: Int64) {
    self.reason = reason
    self.offset = offset
  }

  public var description: String {
    switch reason {
    case .notACapture: "not a capture file: neither pcap nor pcapng"
    case .truncated: "the capture ends inside the record at byte \(offset)"
    case .badLength(let length): "impossible record length \(length) at byte \(offset)"
    case .unknownInterface(let index): "the packet at byte \(offset) names interface \(index), which does not exist"
    case .unsupportedVersion(let major, let minor): "unsupported capture version \(major).\(minor) at byte \(offset)"
    }
  }
}
