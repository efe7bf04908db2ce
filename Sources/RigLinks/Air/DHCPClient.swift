public import RigModel

/// An address that the device leased to the station.
public struct Lease: Hashable, Sendable, CustomStringConvertible {
  let address: IPv4
  let prefix: UInt8
  let server: IPv4
  let seconds: UInt32
  /// Host time at which it was acknowledged.
  public let since: HostTime

  var network: IPv4 { IPv4(address.value & UInt32.max(prefix: prefix)) }

  public var description: String { "lease \(address)/\(prefix) from \(server) for \(seconds) s" }
}

/// The client's side of leasing (RFC 2131 section 4.4): what to send now, and when to send again.
struct DHCPClient: Sendable {
  enum Outcome: Hashable, Sendable {
    case lease(Lease)
    /// Nobody answered within the patience.
    case nobody
    /// An offer came, but every request was refused or not answered.
    case refused(by: IPv4)
  }

  let hardware: [UInt8]
  private let transaction: UInt32
  private let deadline: HostTime
  private let isDeaf: Bool
  /// Offers that a deaf client did not take.
  private(set) var ignored = 0
  private var offer: DHCPMessage?
  private var lastServer: IPv4?
  private var wait: Duration = .milliseconds(500)
  private(set) var outcome: Outcome?
  /// When to send again, or to give up.
  private(set) var wakeAt: HostTime

  /// - Parameter isDeaf: offers are counted, and not taken.
  init(hardware: [UInt8], transaction: UInt32, at now: HostTime, patience: Duration, isDeaf: Bool = false) {
    self.hardware = hardware
    self.transaction = transaction
    self.isDeaf = isDeaf
    deadline = now + patience
    wakeAt = now
  }

  /// To be called at `wakeAt`.
  /// - Returns: what to broadcast now; `nil` when it is over.
  mutating func next(at now: HostTime) -> DHCPMessage? {
    guard outcome == nil else { return nil }
    guard now < deadline else {
      outcome = lastServer.map { .refused(by: $0) } ?? .nobody
      return nil
    }
    wakeAt = min(now + wait, deadline)
    wait = min(wait * 2, .seconds(4))
    var message = DHCPMessage(
      isReply: false, offer == nil ? .discover : .request, transaction: transaction, hardware: hardware)
    message.requested = offer?.yours
    message.server = offer?.server
    return message
  }

  /// - Returns: what to broadcast in answer.
  mutating func receive(_ message: DHCPMessage, at now: HostTime) -> DHCPMessage? {
    guard outcome == nil, message.isReply, message.transaction == transaction, message.hardware == hardware else {
      return nil
    }
    switch message.kind {
    case .offer where offer == nil:
      guard let server = message.server, message.yours != .any else { return nil }
      guard !isDeaf else {
        ignored += 1
        return nil
      }
      offer = message
      lastServer = server
      wait = .milliseconds(500)
      return next(at: now)
    case .acknowledge where offer != nil && message.server == offer?.server:
      guard message.yours != .any, let prefix = (message.mask ?? IPv4(0xFFFF_FF00)).value.prefixLength else {
        return nil
      }
      outcome = .lease(
        Lease(
          address: message.yours, prefix: prefix, server: message.server ?? .any,
          seconds: message.leaseSeconds ?? 0, since: now))
      return nil
    case .refuse where offer != nil && message.server == offer?.server:
      // From the beginning (RFC 2131 section 3.1, 4), but not at once: two that disagree must not flood the air.
      offer = nil
      wakeAt = min(now + .milliseconds(500), deadline)
      return nil
    default: return nil
    }
  }
}
