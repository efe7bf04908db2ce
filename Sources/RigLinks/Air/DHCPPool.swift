/// The server's side of leasing, as a function of the message: who asked gets the same address again.
struct DHCPPool: Sendable {
  enum Manner: Hashable, Sendable {
    case leases
    /// Hears requests and never answers.
    case silent
    /// Offers, and then refuses every request.
    case refuses
  }

  let server: IPv4
  let prefix: UInt8
  let leaseSeconds: UInt32
  var manner = Manner.leases
  private(set) var counters = DHCPCounters()
  private var taken: [[UInt8]: UInt32] = [:]
  private static let first: UInt32 = 10
  private static let last: UInt32 = 50

  init(server: IPv4, prefix: UInt8, leaseSeconds: UInt32) {
    self.server = server
    self.prefix = prefix
    self.leaseSeconds = leaseSeconds
  }

  /// The next case begins with another count, and no lease is known.
  mutating func restart() {
    manner = .leases
    counters = DHCPCounters()
    taken = [:]
  }

  mutating func answer(_ message: DHCPMessage) -> DHCPMessage? {
    guard !message.isReply else { return nil }
    switch message.kind {
    case .discover:
      counters.discovers += 1
      guard manner != .silent, let address = address(for: message.hardware) else { return nil }
      counters.offers += 1
      return reply(.offer, message, address)
    case .request:
      counters.requests += 1
      guard manner != .silent else { return nil }
      // A request that names another server is for that one (RFC 2131 section 4.3.2).
      if let chosen = message.server, chosen != server { return nil }
      let wanted = message.requested ?? message.client
      guard manner == .leases, let address = address(for: message.hardware), wanted == address else {
        counters.refusals += 1
        var no = DHCPMessage(
          isReply: true, .refuse, transaction: message.transaction, hardware: message.hardware)
        no.server = server
        return no
      }
      counters.leases += 1
      return reply(.acknowledge, message, address)
    case .release:
      taken[message.hardware] = nil
      return nil
    default: return nil
    }
  }

  private mutating func address(for hardware: [UInt8]) -> IPv4? {
    let network = server.value & UInt32.max(prefix: prefix)
    if let host = taken[hardware] { return IPv4(network | host) }
    let used = Set(taken.values)
    guard let host = (DHCPPool.first...DHCPPool.last).first(where: { !used.contains($0) }) else { return nil }
    taken[hardware] = host
    return IPv4(network | host)
  }

  private func reply(_ kind: DHCPMessage.Kind, _ message: DHCPMessage, _ address: IPv4) -> DHCPMessage {
    var answer = DHCPMessage(isReply: true, kind, transaction: message.transaction, hardware: message.hardware)
    answer.yours = address
    answer.server = server
    answer.mask = IPv4(UInt32.max(prefix: prefix))
    answer.router = server
    answer.leaseSeconds = leaseSeconds
    return answer
  }
}

/// What the device's DHCP server heard and said: the proof of a missing lease is a request without an answer.
public struct DHCPCounters: Hashable, Sendable {
  public var discovers = 0
  public var offers = 0
  public var requests = 0
  public var leases = 0
  public var refusals = 0
  public init() {}
}
