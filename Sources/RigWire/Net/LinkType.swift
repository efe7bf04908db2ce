/// A link-layer header type, numbered as in the tcpdump.org registry that pcap and pcapng share.
public struct LinkType: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// BSD loopback: a 4-byte address family in the byte order of the host that captured.
  public static let null = LinkType(rawValue: 0)
  public static let ethernet = LinkType(rawValue: 1)
  /// Raw IP as some systems number it in their files (DLT_RAW).
  public static let rawBSD = LinkType(rawValue: 12)
  public static let raw = LinkType(rawValue: 101)
  /// OpenBSD loopback: a 4-byte address family in network byte order.
  public static let loop = LinkType(rawValue: 108)
  /// Linux "cooked" capture, version 1: 16-byte header.
  public static let linuxSLL = LinkType(rawValue: 113)
  /// Reserved for private use; the rig writes its stage marks with it.
  public static let user0 = LinkType(rawValue: 147)
  public static let ipv4 = LinkType(rawValue: 228)
  public static let ipv6 = LinkType(rawValue: 229)
  /// Linux "cooked" capture, version 2: 20-byte header.
  public static let linuxSLL2 = LinkType(rawValue: 276)

  public var description: String {
    switch self {
    case .null: "NULL"
    case .ethernet: "Ethernet"
    case .rawBSD, .raw: "raw IP"
    case .loop: "LOOP"
    case .linuxSLL: "Linux cooked v1"
    case .user0: "USER0"
    case .ipv4: "IPv4"
    case .ipv6: "IPv6"
    case .linuxSLL2: "Linux cooked v2"
    default: "link type \(rawValue)"
    }
  }
}
