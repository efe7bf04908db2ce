public import RigModel

/// Where in the capture something was seen.
public struct WirePlace: Hashable, Sendable {
  /// 1-based packet number.
  public var frame: Int
  /// Nanoseconds since 1970 UTC.
  public var time: Int64
  /// Byte offset in the TCP stream; `nil` for datagrams.
  public var offset: Int64?

  public init(frame: Int, time: Int64, offset: Int64? = nil) {
    self.frame = frame
    self.time = time
    self.offset = offset
  }

  /// In the stream, where both are of the same one; else in the capture.
  func isBefore(_ other: WirePlace) -> Bool {
    if let offset, let theirs = other.offset { offset < theirs } else { frame < other.frame }
  }

  public func evidence(ssrc: UInt32? = nil, sequence: Int64? = nil, excerpt: String? = nil) -> Evidence {
    Evidence(frame: frame, time: time, ssrc: ssrc, sequence: sequence, offset: offset, excerpt: excerpt)
  }
}
