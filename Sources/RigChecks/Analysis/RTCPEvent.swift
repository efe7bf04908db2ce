public import RigWire

/// The RTCP packets of one datagram or interleaved frame.
public struct RTCPEvent: Sendable {
  public var place: WirePlace
  /// Index into `WireWorld.tracks`; -1 where no SETUP was seen.
  public var track: Int
  public var compound: RTCPCompound
  /// Sent by the side that sends the media.
  public var fromSender: Bool
  /// Bytes of the compound as they were captured; fewer than announced on the wire where the capture cut it.
  public var length: Int
}
