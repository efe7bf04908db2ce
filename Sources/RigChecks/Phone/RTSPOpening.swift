public import RigWire

/// The first request for a URL on one connection: where a player began.
public struct RTSPOpening: Hashable, Sendable {
  /// How many an analysis keeps: the first ones.
  static let limit = 4_096

  public var url: String
  public var method: String
  /// Nanoseconds since 1970 by the clock of the capture, and the packet.
  public var time: Int64
  public var frame: Int
  public var client: Endpoint
  public var server: Endpoint
  /// The TCP connection was refused: no request was ever made.
  public var isRefused = false
}

/// Compares the URLs of requests with the address that a device gave.
struct WantedAddress: Sendable {
  let url: RTSPURL
  let host: IPAddress?

  /// `nil`: the address is no RTSP URL.
  init?(_ text: String) {
    guard let url = try? RTSPURL(parsing: text) else { return nil }
    self.url = url
    host = IPAddress(url.host)
  }

  /// Players leave out credentials, state the port or not, and add a slash or not. All else must be the same.
  func matches(_ text: String) -> Bool {
    guard let other = try? RTSPURL(parsing: text), other.port == url.port else { return false }
    return isHost(other.host) && WantedAddress.path(other) == WantedAddress.path(url)
  }

  private func isHost(_ text: String) -> Bool {
    if let host, let other = IPAddress(text) { return host == other }
    return text.lowercased() == url.host.lowercased()
  }

  private static func path(_ url: RTSPURL) -> Substring {
    var path = url.pathAndQuery[...]
    while path.last == "/" { path.removeLast() }
    return path
  }

  func isServer(_ endpoint: Endpoint) -> Bool { endpoint.port == url.port && host == endpoint.address }
}
