/// A payload to be put in an RTP packet, and its marker bit.
public struct PacketizedPayload: Hashable, Sendable {
  public var bytes: [UInt8]
  public var marker: Bool
  public init(bytes: [UInt8], marker: Bool) {
    self.bytes = bytes
    self.marker = marker
  }
}

/// Cuts H.264 access units into RTP payloads (RFC 6184 5.6–5.8, packetization mode 1).
public struct H264Packetizer: Sendable {
  /// Largest payload in bytes, without the RTP header.
  public var maximumPayload: Int
  /// Whether small neighbours share a STAP-A.
  public var aggregates: Bool

  /// `maximumPayload` below 16 counts as 16, above 65,000 as 65,000.
  public init(maximumPayload: Int = 1400, aggregates: Bool = false) {
    self.maximumPayload = min(max(maximumPayload, 16), 65_000)
    self.aggregates = aggregates
  }

  /// The payloads of one access unit: NAL units with their header byte, without start codes. The last has the marker.
  public func packetize(_ accessUnit: [[UInt8]]) -> [PacketizedPayload] {
    var out: [[UInt8]] = []
    var pending: [[UInt8]] = []
    var pendingSize = 1
    func flush() {
      if pending.count == 1 {
        out.append(pending[0])
      } else if !pending.isEmpty {
        // F is 0; NRI is the highest of the units inside (5.7.1).
        var packet: [UInt8] = [(pending.map { $0[0] & 0x60 }.max() ?? 0) | 24]
        for unit in pending {
          packet.append(UInt8(truncatingIfNeeded: unit.count >> 8))
          packet.append(UInt8(truncatingIfNeeded: unit.count))
          packet += unit
        }
        out.append(packet)
      }
      pending = []
      pendingSize = 1
    }
    for unit in accessUnit where !unit.isEmpty {
      if unit.count > maximumPayload {
        flush()
        out += fragments(unit)
        continue
      }
      if !aggregates || pendingSize + 2 + unit.count > maximumPayload { flush() }
      pending.append(unit)
      pendingSize += 2 + unit.count
    }
    flush()
    return out.enumerated().map { PacketizedPayload(bytes: $1, marker: $0 == out.count - 1) }
  }

  private func fragments(_ unit: [UInt8]) -> [[UInt8]] {
    let indicator = unit[0] & 0xE0 | 28
    let type = unit[0] & 31
    var out: [[UInt8]] = []
    var place = 1
    while place < unit.count {
      let end = min(unit.count, place + maximumPayload - 2)
      var header = type
      if place == 1 { header |= 0x80 }
      if end == unit.count { header |= 0x40 }
      out.append([indicator, header] + unit[place..<end])
      place = end
    }
    return out
  }

  /// The NAL units of an Annex B byte stream, without start codes and trailing zeros.
  public static func units(annexB bytes: [UInt8]) -> [[UInt8]] {
    var units: [[UInt8]] = []
    var start: Int?
    var place = 0
    while place + 2 < bytes.count {
      if bytes[place + 2] > 1 {
        place += 3
      } else if bytes[place] == 0, bytes[place + 1] == 0, bytes[place + 2] == 1 {
        if let start { append(bytes[start..<place]) }
        start = place + 3
        place += 3
      } else {
        place += 1
      }
    }
    if let start { append(bytes[start...]) }
    func append(_ range: ArraySlice<UInt8>) {
      var unit = range
      while unit.last == 0 { unit.removeLast() }
      if !unit.isEmpty { units.append(Array(unit)) }
    }
    return units
  }
}
