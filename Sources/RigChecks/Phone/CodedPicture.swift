/// A coded picture as it came over RTP, ready for a decoder.
public struct CodedPicture: Hashable, Sendable {
  public enum Codec: String, Hashable, Sendable { case h264, h265 }
  public var codec: Codec
  /// When its last packet came, ns since 1970 by the clock of the capture, and that packet.
  public var time: Int64
  public var frame: Int
  /// NAL units behind start codes (ITU-T H.264 annex B); the parameter sets of the description stand before the first.
  public var bytes: [UInt8]
}
