/// What to capture, and where to.
public struct CaptureRequest: Sendable {
  /// `lo`, `wlan0`, `any`, …
  public var interface: String
  /// Only traffic to or from this address; `nil`: of all.
  public var host: String?
  /// An expression in libpcap's language (pcap-filter(7)); `nil`: everything.
  public var filter: String?
  /// The end of a TCP connection whose packets are left out; `nil`: none.
  public var exceptEnd: (host: String, port: UInt16)?
  /// Packets of stage-link connections are left out, wherever they run: they hold secrets of the device.
  public var leavesOutControlTraffic = false
  /// Frames that are addressed to others are wanted too: for a mirror port.
  public var isPromiscuous = false
  /// The capture ends by itself after so many packets.
  public var packetLimit: Int?
  /// The pcapng file, made anew; `nil`: nothing is written.
  public var path: String?
  /// What the file says of its interface.
  public var title: String
  /// The file gets a second interface for stage marks. tcpdump reads no file whose interfaces differ in kind.
  public var hasMarks = true

  public init(interface: String, host: String? = nil, path: String? = nil, title: String = "streamrig") {
    self.interface = interface
    self.host = host
    self.path = path
    self.title = title
  }

  /// On `lo` every packet passes twice, out and in, and only its arrival is wanted. Elsewhere both directions are packets
  /// of their own.
  var ignoresOutgoing: Bool { interface == "lo" }

  /// In libpcap's language.
  var expression: String {
    var parts: [String] = []
    if let host { parts.append("host \(host)") }
    if let end = exceptEnd {
      let (host, port) = (end.host, end.port)
      parts.append(
        "not (tcp and ((src host \(host) and src port \(port)) or (dst host \(host) and dst port \(port))))")
    }
    if let filter, filter.contains(where: { !$0.isWhitespace }) { parts.append("(\(filter))") }
    return parts.joined(separator: " and ")
  }
}
