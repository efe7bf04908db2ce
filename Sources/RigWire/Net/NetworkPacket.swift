/// What one captured frame holds, as offsets into the frame: nothing is copied.
public struct NetworkPacket: Sendable {
  public enum Kind: Hashable, Sendable {
    case udp
    case tcp
    /// An IP fragment; `payload` is the fragment's data, to be handed to a `FragmentReassembler`.
    case fragment
    /// Another transport, ARP, or a frame too short or too odd to read.
    case other
  }

  public var kind: Kind = .other
  public var flow = FlowKey(
    source: Endpoint(IPAddress(ipv4: 0), 0), destination: Endpoint(IPAddress(ipv4: 0), 0))
  /// The checksum of the IPv4 header (RFC 791 3.1).
  public var headerChecksum = TransportChecksum.absent
  /// Where the UDP or TCP header begins in the frame.
  public var transport = 0
  /// Bytes of the frame that carry the UDP or TCP payload, or the fragment's data.
  public var payload: Range<Int> = 0..<0
  /// Payload bytes that the headers announce and that were not captured (snap length).
  public var missing = 0
  public var tcp = TCPFields()
  public var fragment = FragmentFields()
  /// The IP protocol number.
  public var protocolNumber: UInt8 = 0

  public init() {}

  /// What the SACK option of a TCP header names (RFC 2018 3), at most four parts: sequence numbers of the first byte of
  /// each and of the one behind its last. Empty where there is no such option, or it is not whole in the frame.
  public func selectiveAcknowledgments(in frame: RawSpan) -> [(from: UInt32, to: UInt32)] {
    guard kind == .tcp else { return [] }
    let end = min(payload.lowerBound, frame.byteCount)
    var at = transport + 20
    while at < end {
      let option = frame.net8(at)
      if option == 0 { return [] }
      if option == 1 {
        at += 1
        continue
      }
      guard at + 1 < end else { return [] }
      let length = Int(frame.net8(at + 1))
      guard length >= 2, at + length <= end else { return [] }
      if option == 5 {
        return stride(from: at + 2, to: at + length - 7, by: 8).map { (frame.net32($0), frame.net32($0 + 4)) }
      }
      at += length
    }
    return []
  }

  public struct TCPFields: Sendable {
    public var sequence: UInt32 = 0
    public var acknowledgment: UInt32 = 0
    public var flags: TCPFlags = []
    public init() {}
  }

  public struct FragmentFields: Sendable {
    public var identification: UInt32 = 0
    /// Offset of this fragment's data in the datagram, bytes.
    public var offset = 0
    public var more = false
    public init() {}
  }
}

/// The control bits of a TCP header (RFC 9293 3.1).
public struct TCPFlags: OptionSet, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  public static let fin = TCPFlags(rawValue: 1)
  public static let syn = TCPFlags(rawValue: 2)
  public static let rst = TCPFlags(rawValue: 4)
  public static let psh = TCPFlags(rawValue: 8)
  public static let ack = TCPFlags(rawValue: 16)
}
