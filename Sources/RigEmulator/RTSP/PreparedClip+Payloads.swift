import RigWire

extension PreparedClip {
  /// The payloads of an H.264 access unit (RFC 6184 5.6, 5.8).
  ///
  /// - Parameter startCodes: puts a start code and the whole NAL unit where a fragmentation unit carries the unit
  ///   without its first byte, as senders do that forget to strip Annex B.
  static func payloads(_ nals: [[UInt8]], limit: Int, startCodes: Bool) -> [[UInt8]] {
    let packetizer = H264Packetizer(maximumPayload: limit)
    let units = nals.map { nal in
      startCodes && nal.count > packetizer.maximumPayload ? [nal[0], 0, 0, 0, 1] + nal : nal
    }
    return packetizer.packetize(units).map(\.bytes)
  }

  /// One AAC frame in a packet of its own, or in fragments that each tell the whole size (RFC 3640 3.2.1, 3.3.6).
  static func payloads(frame: [UInt8], limit: Int) -> [[UInt8]] {
    if frame.count + 4 <= limit, let packet = AACPayload.packetize([frame]) { return [packet] }
    // AU-headers-length 16 bits; AU-size 13 bits, AU-Index 3 bits.
    let head: [UInt8] = [
      0, 16, UInt8(truncatingIfNeeded: frame.count >> 5), UInt8(truncatingIfNeeded: frame.count << 3),
    ]
    return stride(from: 0, to: frame.count, by: max(1, limit - 4)).map { place in
      head + frame[place..<min(place + max(1, limit - 4), frame.count)]
    }
  }
}
