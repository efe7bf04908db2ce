/// A DHCP message (RFC 2131 section 2, options of RFC 2132): the fields that leasing an address needs.
struct DHCPMessage: Hashable, Sendable {
  enum Kind: UInt8, Sendable {
    case discover = 1, offer, request, decline, acknowledge, refuse, release, inform
  }

  /// True from a server (BOOTREPLY).
  var isReply: Bool
  var kind: Kind
  var transaction: UInt32
  /// The client's Ethernet address: 6 bytes.
  var hardware: [UInt8]
  /// ciaddr: what the client has already.
  var client = IPv4.any
  /// yiaddr: what the server gives.
  var yours = IPv4.any
  /// Option 50.
  var requested: IPv4?
  /// Option 54.
  var server: IPv4?
  /// Option 1.
  var mask: IPv4?
  /// Option 3, the first of them.
  var router: IPv4?
  /// Option 51, seconds.
  var leaseSeconds: UInt32?

  init(isReply: Bool, _ kind: Kind, transaction: UInt32, hardware: [UInt8]) {
    self.isReply = isReply
    self.kind = kind
    self.transaction = transaction
    self.hardware = hardware
  }

  private static let cookie: [UInt8] = [99, 130, 83, 99]
  /// op … giaddr and chaddr, sname, file.
  private static let fixedLength = 236
  /// BOOTP's least length, below which some servers and clients refuse a message (RFC 1542 section 2.1).
  private static let leastLength = 300

  // MARK: Writing

  func encoded() -> [UInt8] {
    var out: [UInt8] = [isReply ? 2 : 1, 1, 6, 0]
    out += IPv4(transaction).bytes
    // secs; flags: answer by broadcast, since the client has no address to be spoken to.
    out += [0, 0, 0x80, 0]
    out += client.bytes + yours.bytes + IPv4.any.bytes + IPv4.any.bytes
    out += hardware.prefix(6) + [UInt8](repeating: 0, count: 16 - min(6, hardware.count))
    out += [UInt8](repeating: 0, count: 192)
    out += DHCPMessage.cookie
    out += [53, 1, kind.rawValue]
    for (code, address) in [(50, requested), (54, server), (1, mask), (3, router)] as [(UInt8, IPv4?)] {
      if let address { out += [code, 4] + address.bytes }
    }
    if let leaseSeconds { out += [51, 4] + IPv4(leaseSeconds).bytes }
    // What is wanted: mask, router, lease time.
    if !isReply { out += [55, 3, 1, 3, 51] }
    out.append(255)
    out += [UInt8](repeating: 0, count: max(0, DHCPMessage.leastLength - out.count))
    return out
  }

  // MARK: Reading

  /// - Returns: `nil` where the bytes are no DHCP message over Ethernet.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= DHCPMessage.fixedLength + 4, bytes[0] == 1 || bytes[0] == 2, bytes[1] == 1, bytes[2] == 6,
      Array(bytes[236..<240]) == DHCPMessage.cookie
    else { return nil }
    func address(_ at: Int) -> IPv4 { IPv4(bytes[at..<at + 4]) ?? .any }
    isReply = bytes[0] == 2
    transaction = address(4).value
    client = address(12)
    yours = address(16)
    hardware = Array(bytes[28..<34])
    kind = .discover
    var type: Kind?
    var rest = bytes[240...]
    while let code = rest.popFirst(), code != 255 {
      if code == 0 { continue }
      guard let length = rest.popFirst(), rest.count >= Int(length) else { return nil }
      let value = rest.prefix(Int(length))
      rest = rest.dropFirst(Int(length))
      switch code {
      case 53: type = value.first.flatMap(Kind.init(rawValue:))
      case 50: requested = IPv4(value)
      case 54: server = IPv4(value)
      case 1: mask = IPv4(value)
      case 3: router = IPv4(value.prefix(4))
      case 51: leaseSeconds = IPv4(value)?.value
      default: break
      }
    }
    guard let type else { return nil }
    kind = type
  }
}
