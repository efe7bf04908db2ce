import RigBytes

/// Tells the packets of stage-link connections from all others: they hold what the harness and the agent say to each
/// other, such as the key of the hotspot, and are no part of what a device sends to its viewers.
///
/// A connection is known by the first packet in which a record begins, whoever carries it: a forwarder, `adb` over TCP.
/// What is encrypted on its way is not seen, and need not be.
public struct ControlTraffic: Sendable {
  private var connections: Set<FlowKey> = []

  /// Records come every second: a connection that was forgotten is soon known again.
  private static let mostConnections = 512
  /// A member of every record (JSON-RPC 2.0 section 4); 72 bits that no media has by chance.
  private static let sign = Array(#""jsonrpc""#.utf8)

  public init() {}

  /// Whether this packet is of a stage-link connection.
  public mutating func holds(_ frame: RawSpan, link: LinkType) -> Bool {
    let packet = NetworkDissector.dissect(frame, link: link)
    guard packet.kind == .tcp else { return false }
    if connections.contains(packet.flow) {
      guard packet.tcp.flags.contains(.syn), !packet.tcp.flags.contains(.ack) else { return true }
      // The ports are used again, for whatever.
      connections.remove(packet.flow)
      connections.remove(packet.flow.reversed)
    }
    guard ControlTraffic.hasSign(frame, in: packet.payload) else { return false }
    if connections.count >= ControlTraffic.mostConnections { connections.removeAll() }
    connections.insert(packet.flow)
    connections.insert(packet.flow.reversed)
    return true
  }

  private static func hasSign(_ frame: RawSpan, in range: Range<Int>) -> Bool {
    guard range.count >= sign.count else { return false }
    for start in range.lowerBound...(range.upperBound - sign.count)
    where frame.net8(start) == sign[0] && frame.net8(start + 1) == sign[1] {
      if sign.indices.allSatisfy({ frame.net8(start + $0) == sign[$0] }) { return true }
    }
    return false
  }
}
