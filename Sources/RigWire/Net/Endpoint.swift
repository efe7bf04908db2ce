/// An address and a UDP or TCP port.
public struct Endpoint: Hashable, Sendable, CustomStringConvertible {
  public var address: IPAddress
  public var port: UInt16
  public init(_ address: IPAddress, _ port: UInt16) {
    self.address = address
    self.port = port
  }

  public var description: String { address.isIPv6 ? "[\(address)]:\(port)" : "\(address):\(port)" }
}

/// One direction of a conversation.
public struct FlowKey: Hashable, Sendable, CustomStringConvertible {
  public var source: Endpoint
  public var destination: Endpoint
  public init(source: Endpoint, destination: Endpoint) {
    self.source = source
    self.destination = destination
  }

  public var reversed: FlowKey { FlowKey(source: destination, destination: source) }

  /// One word into the hasher: this is computed once per captured packet.
  public func hash(into hasher: inout Hasher) {
    let addresses = source.address.low &* 0x9E37_79B9_7F4A_7C15 ^ destination.address.low
    let ports = UInt64(source.port) << 16 | UInt64(destination.port)
    hasher.combine(addresses &* 0x9E37_79B9_7F4A_7C15 ^ ports ^ source.address.high ^ destination.address.high)
  }

  public var description: String { "\(source) → \(destination)" }
}
