public import RigModel

/// What the capture knows of the media at one moment.
public struct MediaOnWire: Hashable, Sendable {
  public var packets: Int64
  /// Host time of the last media packet.
  public var last: HostTime?
  public init(packets: Int64 = 0, last: HostTime? = nil) {
    self.packets = packets
    self.last = last
  }
}

/// A capture of one case: packets to a file, dissected as they come.
public protocol PacketSource: Sendable {
  /// Writes a stage marker among the packets.
  func mark(_ text: String, at time: HostTime) async
  func mediaOnWire() async -> MediaOnWire
}
