public import RigWire

/// A connection that carries RTSP where no check can see it.
public struct UnjudgedConnection: Hashable, Sendable {
  public enum Kind: String, Sendable {
    /// TLS on a port of RTSP (RFC 7826 19): `rtsps`.
    case tls = "RTSPS"
    /// RTSP in HTTP GET and POST, as QuickTime began it.
    case httpTunnel = "RTSP over HTTP"
  }
  public var kind: Kind
  public var flow: FlowKey
  public var place: WirePlace
}
