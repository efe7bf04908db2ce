import RigBytes

/// One transport of a Transport header (RFC 2326 12.39): `RTP/AVP;unicast;client_port=5000-5001`.
public struct TransportHeader: Hashable, Sendable {
  public enum Lower: String, Sendable { case udp = "UDP", tcp = "TCP" }
  public enum Delivery: String, Sendable { case unicast, multicast }

  /// Two ports or channels, RTP first; `second` is `nil` where only one was given.
  public struct Pair: Hashable, Sendable, CustomStringConvertible {
    public var first: UInt16
    public var second: UInt16?
    public init(_ first: UInt16, _ second: UInt16? = nil) {
      self.first = first
      self.second = second
    }
    public var description: String { second.map { "\(first)-\($0)" } ?? "\(first)" }
  }

  /// `RTP/AVP`, as it stands.
  public var profile: String
  public var lower: Lower
  /// `nil` where neither word was there.
  public var delivery: Delivery?
  public var clientPorts: Pair?
  public var serverPorts: Pair?
  /// The ports of a multicast session.
  public var ports: Pair?
  /// The channels of RTP over TCP.
  public var interleaved: Pair?
  public var ssrc: UInt32?
  public var source: String?
  public var destination: String?
  public var ttl: UInt8?
  /// Without quotes: `PLAY`, `RECORD`.
  public var mode: String?
  /// Other parameters, as they stand.
  public var others: [String]
  public var deviations: [RTSPDeviation]

  public init(
    profile: String = "RTP/AVP", lower: Lower = .udp, delivery: Delivery? = .unicast, clientPorts: Pair? = nil,
    serverPorts: Pair? = nil, interleaved: Pair? = nil, ssrc: UInt32? = nil, source: String? = nil,
    mode: String? = nil
  ) {
    self.profile = profile
    self.lower = lower
    self.delivery = delivery
    self.clientPorts = clientPorts
    self.serverPorts = serverPorts
    self.interleaved = interleaved
    self.ssrc = ssrc
    self.source = source
    self.mode = mode
    others = []
    deviations = []
  }

  public var text: String {
    var parts = [profile + (lower == .tcp ? "/TCP" : "")]
    if let delivery { parts.append(delivery.rawValue) }
    if let destination { parts.append("destination=\(destination)") }
    if let source { parts.append("source=\(source)") }
    if let interleaved { parts.append("interleaved=\(interleaved)") }
    if let clientPorts { parts.append("client_port=\(clientPorts)") }
    if let serverPorts { parts.append("server_port=\(serverPorts)") }
    if let ports { parts.append("port=\(ports)") }
    if let ttl { parts.append("ttl=\(ttl)") }
    if let ssrc { parts.append("ssrc=\(Self.hex(ssrc))") }
    parts.append(contentsOf: others)
    if let mode { parts.append("mode=\"\(mode)\"") }
    return parts.joined(separator: ";")
  }

  /// The header value of several transports, in order of preference.
  public static func text(_ transports: [TransportHeader]) -> String {
    transports.map(\.text).joined(separator: ",")
  }

  static func hex(_ value: UInt32) -> String {
    ASCII.hex((0..<4).map { UInt8(truncatingIfNeeded: value >> UInt32(24 - 8 * $0)) }).uppercased()
  }
}
